// kind: wrong
// expect: fail correct
// The sum *before* each element.
const int BLOCK = 512;

// The inclusive sum over the lanes of a warp.
__device__ int warp_scan(int v) {
    int lane = threadIdx.x % 32;
    for (int s = 1; s < 32; s *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, s);
        if (lane >= s) v += left;
    }
    return v;
}

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int total[BLOCK / 32]; // one per warp
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * BLOCK + t;
    int v = warp_scan(i < n ? in[i] : 0);
    if (lane == 31) total[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int sum = warp_scan(lane < BLOCK / 32 ? total[lane] : 0); // all 32 lanes take part: the shuffles' mask names them
        if (lane < BLOCK / 32) total[lane] = sum;
    }
    __syncthreads();
    if (warp > 0) v += total[warp - 1];
    if (i < n) out[i] = v - in[i];
}

void scan_block(const int *in, int *out, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
