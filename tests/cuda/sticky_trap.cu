// A trap instruction.
// expect: cudaErrorLaunchFailure
// finding: trap
#include "common.h"
__global__ void k() { __trap(); }
int main() {
    k<<<1, 1>>>();
    NAME(cudaDeviceSynchronize());
}
