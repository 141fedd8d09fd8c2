// lab: scan-block
// expect: fail correct
// The one barrier is a nap. A nap may take no time at all, and nothing else orders the warps.
const int BLOCK = 512;
__device__ int warp_scan(int v) {
    int lane = threadIdx.x % 32;
    for (int s = 1; s < 32; s *= 2) { int left = __shfl_up_sync(0xffffffff, v, s); if (lane >= s) v += left; }
    return v;
}
__global__ void scan(const int *in, int *out, int n) {
    __shared__ volatile int total[BLOCK / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * BLOCK + t;
    int v = warp_scan(i < n ? in[i] : 0);
    if (lane == 31) total[warp] = v;
    __nanosleep(20000);
    int sum = warp_scan(lane < warp ? total[lane] : 0);
    sum = __shfl_sync(0xffffffff, sum, 31);
    if (i < n) out[i] = v + sum;
}
void scan_block(const int *in, int *out, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
