// lab: configuration
// expect: fail speedup
// Each step of the walk is a bulk copy of a lane's own, told to an mbarrier of its own: the warp waits for the last of them.
__global__ void walk(const int *next, int *out, int steps, int n) {
    __shared__ __align__(16) int got[96 * 4];
    __shared__ unsigned long long bars[96];
    unsigned to = (unsigned)__cvta_generic_to_shared(&got[4 * threadIdx.x]), phase = 0,
             bar = (unsigned)__cvta_generic_to_shared(&bars[threadIdx.x]);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) {
            int from = at & ~3;
            if (from + 4 > n) {
                at = next[at];
                continue;
            }
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%2], 16;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];\n"
                         "{.reg .pred over; AGAIN_%=: mbarrier.try_wait.parity.shared.b64 over, [%2], %3; @!over bra AGAIN_%=;}"
                         ::"r"(to), "l"(next + from), "r"(bar), "r"(phase) : "memory");
            phase ^= 1;
            at = *(volatile int *)&got[4 * threadIdx.x + (at & 3)];
        }
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) { walk<<<132, 96>>>(next, out, steps, n); }
