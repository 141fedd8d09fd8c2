// What stream calls refuse.
// fast
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidResourceHandle
// expect: cudaSuccess
// expect: priority -5 of 0 to -5, flags 1
// expect: cudaErrorInvalidResourceHandle
#include "common.h"
int main() {
    cudaStream_t s;
    int p, lo, hi;
    unsigned f;
    NAME(cudaStreamCreateWithFlags(&s, 7));
    NAME(cudaStreamDestroy(0));
    NAME(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
    CK(cudaStreamGetPriority(s, &p)), CK(cudaStreamGetFlags(s, &f)), CK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    printf("priority %d of %d to %d, flags %u\n", p, lo, hi, f);
    NAME(cudaStreamWaitEvent(s, (cudaEvent_t)0, 0));
}
