// lab: configuration
// expect: fail speedup
// Each step of the walk is an asynchronous copy that arrives at the warp's mbarrier, which the warp waits for: that takes as
// long as the load would.
__global__ void walk(const int *next, int *out, int steps, int n) {
    __shared__ int got[96];
    __shared__ unsigned long long bars[3];
    unsigned to = (unsigned)__cvta_generic_to_shared(&got[threadIdx.x]), phase = 0,
             bar = (unsigned)__cvta_generic_to_shared(&bars[threadIdx.x / 32]), all = gridDim.x * blockDim.x;
    if (threadIdx.x % 32 == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(bar) : "memory");
    __syncwarp();
    for (unsigned from = 0; from < n; from += all) {
        int i = from + blockIdx.x * blockDim.x + threadIdx.x, at = i < n ? i : 0;
        for (int s = 0; s < steps; s++) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n"
                         "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];\n"
                         "{.reg .pred over; AGAIN_%=: mbarrier.test_wait.parity.shared.b64 over, [%2], %3; @!over bra AGAIN_%=;}"
                         ::"r"(to), "l"(next + at), "r"(bar), "r"(phase) : "memory");
            phase ^= 1;
            at = *(volatile int *)&got[threadIdx.x];
            __syncwarp();
        }
        if (i < n) out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) { walk<<<132, 96>>>(next, out, steps, n); }
