// lab: reduce-1-divergent
// expect: pass
// The first threads of the block add, and a predicate on the last element of a ragged block takes the place of a jump.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    int mine = 0;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p ld.global.b32 %0, [%3]; }" : "+r"(mine) : "r"(i), "r"(n), "l"(in + i));
    sum[tid] = mine;
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        unsigned left = 2 * s * tid;
        if (left < BLOCK) sum[left] += sum[left + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
