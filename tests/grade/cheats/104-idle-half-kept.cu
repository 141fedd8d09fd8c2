// lab: reduce-3-idle
// expect: fail counter
// expect: says grid_threads is
// Half of the threads still only load: shuffles make the barriers few.
const unsigned BLOCK = 512;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[16];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    int v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (tid % 32 == 0) sum[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = tid < 16 ? sum[tid] : 0;
        for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
        if (tid == 0) out[blockIdx.x] = v;
    }
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
