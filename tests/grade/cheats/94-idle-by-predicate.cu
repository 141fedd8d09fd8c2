// lab: reduce-1-divergent
// expect: fail counter
// expect: says idle_lanes is
// The lanes that add are those of the skeleton; a predicate on each access takes the place of the jump.
const unsigned BLOCK = 256;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    sum[tid] = i < n ? in[i] : 0;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(sum);
    int mine = sum[tid];
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        // bits: only the lane with tid % (2 s) == 0 adds; sum[tid] stays in `mine`
        asm volatile("{ .reg .pred p; .reg .b32 a; setp.eq.u32 p, %2, 0; mov.b32 a, 0; @p ld.shared.b32 a, [%3]; add.s32 %0, %1, a; @p st.shared.b32 [%4], %0; }"
                     : "=r"(mine) : "r"(mine), "r"(tid % (2 * s)), "r"(base + 4 * (tid + s)), "r"(base + 4 * tid) : "memory");
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
