// lab: warp-aggregate
// expect: pass
// No atomics: every warp stores its count, and a second launch adds the counts up.
__device__ int count[32 * 132];
__global__ void tally(const int *in, int limit, int n) {
    int mine = 0, w = blockIdx.x * 8 + threadIdx.x / 32;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += in[i] < limit;
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0) count[w] = mine;
}
__global__ void total(int *found, int warps) {
    __shared__ int s[256];
    int t = threadIdx.x, mine = 0;
    for (int i = t; i < warps; i += 256) mine += count[i];
    s[t] = mine;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) *found = s[0];
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    tally<<<132, 256>>>(in, limit, n);
    total<<<1, 256>>>(found, 132 * 8);
}
