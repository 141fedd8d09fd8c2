// lab: reduce-4-warp
// expect: pass
// The barriers that are needed are mbarriers: a warp arrives once and waits once, which is one barrier as __syncthreads() is.
const unsigned BLOCK = 256;
__device__ void together(unsigned bar, unsigned &phase) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    asm volatile("{.reg .pred over; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1; @!over bra AGAIN_%=;}"
                 ::"r"(bar), "r"(phase) : "memory");
    phase ^= 1;
}
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    __shared__ unsigned long long word;
    unsigned tid = threadIdx.x, i = blockIdx.x * 2 * BLOCK + tid, phase = 0,
             bar = (unsigned)__cvta_generic_to_shared(&word);
    if (tid == 0) asm volatile("mbarrier.init.shared.b64 [%0], 8;" ::"r"(bar) : "memory");
    __syncthreads();
    int mine = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    for (unsigned s = 16; s; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    if (tid % 32 == 0) sum[tid / 32] = mine;
    together(bar, phase);
    if (tid < 32) {
        mine = tid < 8 ? sum[tid] : 0;
        for (unsigned s = 4; s; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    }
    if (tid == 0) out[blockIdx.x] = mine;
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
