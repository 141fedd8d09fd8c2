// Events that were not recorded, or keep no time.
// fast
// expect: cudaErrorInvalidResourceHandle
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaErrorInvalidResourceHandle
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidResourceHandle
// expect: cudaErrorInvalidResourceHandle
#include "common.h"
int main() {
    cudaEvent_t a, b, c;
    float ms;
    CK(cudaEventCreate(&a)), CK(cudaEventCreate(&b)), CK(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    NAME(cudaEventElapsedTime(&ms, a, b));
    NAME(cudaEventQuery(a));
    NAME(cudaEventSynchronize(a));
    CK(cudaEventRecord(a)), CK(cudaEventRecord(c)), CK(cudaDeviceSynchronize());
    NAME(cudaEventElapsedTime(&ms, a, c));
    NAME(cudaEventCreateWithFlags(&c, 99));
    NAME(cudaEventDestroy(NULL));
    NAME(cudaEventRecord(NULL));
}
