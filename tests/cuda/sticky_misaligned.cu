// An address that is not a multiple of the access's width.
// expect: cudaErrorMisalignedAddress
// finding: misaligned
#include "common.h"
__global__ void k(char *p) { *(volatile int *)(p + 1) = 1; }
int main() {
    char *d;
    CK(cudaMalloc(&d, 64));
    k<<<1, 1>>>(d);
    NAME(cudaDeviceSynchronize());
}
