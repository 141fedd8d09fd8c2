// A barrier that waits for more bytes than are copied never completes: no endless loop, a deadlock that says what is missing.
// arch: sm_90
// sim only
// expect: cudaErrorLaunchTimeout
// finding: deadlock
// stderr: waits for a phase of an mbarrier that never completes: 0 arrivals and 64 bytes are missing
#include "tma.h"
__global__ void k(const int *from, int *to) {
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof s + 64), bulk_load(AT(s), from, sizeof s, AT(&bar));
    }
    __syncthreads();
    bar_wait(AT(&bar), 0);
    to[threadIdx.x] = s[threadIdx.x];
}
int main() {
    int *from, *to;
    CK(cudaMalloc(&from, 256)), CK(cudaMalloc(&to, 256)), CK(cudaMemset(from, 1, 256));
    k<<<2, 64>>>(from, to);
    NAME(cudaDeviceSynchronize());
}
