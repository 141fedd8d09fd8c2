// lab: reduce-4-warp
// expect: pass
// Half of the threads, each with four elements, and the last warp works alone: counted per thread, too, the barriers are few.
const unsigned BLOCK = 128;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid;
    int mine = 0;
    for (int k = 0; k < 4; k++) mine += i + k * BLOCK < n ? in[i + k * BLOCK] : 0;
    sum[tid] = mine;
    __syncthreads();
    if (tid < 64) sum[tid] = mine += sum[tid + 64];
    __syncthreads();
    if (tid >= 32) return;
    mine += sum[tid + 32];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    if (tid == 0) out[blockIdx.x] = mine;
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
