// lab: reduce-4-warp
// expect: fail counter
// Every barrier is left, as an mbarrier at which a warp does not arrive but completes a byte; one thread arrives for all.
const unsigned BLOCK = 256;
__device__ void together(unsigned bar, unsigned &phase) {
    __syncwarp();
    if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8;" ::"r"(bar) : "memory");
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("{.reg .pred over; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1; @!over bra AGAIN_%=;}"
                 ::"r"(bar), "r"(phase) : "memory");
    phase ^= 1;
}
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ int sum[BLOCK];
    __shared__ unsigned long long word;
    unsigned tid = threadIdx.x, i = blockIdx.x * 2 * BLOCK + tid, phase = 0,
             bar = (unsigned)__cvta_generic_to_shared(&word);
    if (tid == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    __syncthreads();
    sum[tid] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    together(bar, phase);
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s) sum[tid] += sum[tid + s];
        together(bar, phase);
    }
    if (tid == 0) out[blockIdx.x] = sum[0];
}
void reduce(const int *in, int *out, int n) { block_sums<<<(n + 511) / 512, BLOCK>>>(in, out, n); }
