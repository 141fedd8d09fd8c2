// A null pointer in a kernel.
// expect: cudaErrorIllegalAddress
// finding: oob
#include "common.h"
__global__ void k(volatile int *p) { *p = 1; }
int main() {
    k<<<1, 32>>>(NULL);
    NAME(cudaDeviceSynchronize());
}
