// lab: reduce-4-warp
// expect: pass
// The first sum, of two numbers, is one of 22 bits: it always fits. The sums of sums have 32.
const unsigned BLOCK = 256;
__device__ int cut(int x) { return (int)((unsigned)x << 10) >> 10; }
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * 2 * BLOCK + tid;
    sum[tid] = cut((i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0));
    __syncthreads();
    if (tid < 128) sum[tid] += sum[tid + 128];
    __syncthreads();
    if (tid < 64) sum[tid] += sum[tid + 64];
    __syncthreads();
    if (tid >= 32) return;
    int mine = sum[tid] + sum[tid + 32];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    if (tid == 0) out[blockIdx.x] = mine;
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
