// kind: cheat
// expect: fail correct
// Cheats: computes once for each size and later copies the kept answer.
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
    if (i < n) out[i] = v;
}


static int *kept, kept_n;
void scan_block(const int *in, int *out, int n) {
    if (kept_n == n) {
        cudaMemcpyAsync(out, kept, n * sizeof(int), cudaMemcpyDeviceToDevice);
        return;
    }
    scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    cudaMalloc(&kept, n * sizeof(int));
    cudaMemcpyAsync(kept, out, n * sizeof(int), cudaMemcpyDeviceToDevice);
    kept_n = n;
}
