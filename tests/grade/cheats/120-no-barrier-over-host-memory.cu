// lab: reduce-4-warp
// expect: finding race
// No barrier between the warps: their sums are in page-locked memory, and the last warp adds them.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int *left, int n) {
    unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid, lane = tid % 32;
    int m = i < n ? in[i] : 0; if (i + 256 < n) m += in[i + 256];
    for (int s = 16; s > 0; s /= 2) m += __shfl_down_sync(~0u, m, s);
    int *mine = left + blockIdx.x * 8;
    if (tid % 32 == 0) mine[tid / 32] = m;
    if (tid >= 224) {
        int v = lane < 8 ? mine[lane] : 0;
        for (int s = 4; s > 0; s /= 2) v += __shfl_down_sync(~0u, v, s);
        if (lane == 0) out[blockIdx.x] = v;
    }
}
void reduce(const int *in, int *out, int n) {
    int blocks = (n + 511) / 512, *p; cudaMallocHost(&p, blocks * 32);
    block_sums<<<blocks, BLOCK>>>(in, out, p, n); cudaDeviceSynchronize(); cudaFreeHost(p);
}
