// An access that is not aligned to its size; the one before it is.
// sim only
// expect: cudaErrorMisalignedAddress
// finding: misaligned
// stderr: find_misaligned.cu:8: thread 0 of block 0 of load
// stderr: 8
#include "common.h"
__global__ void load(const char *p, double *q) { *q = *(const double *)p; }
int main() {
    char *a;
    double *q;
    CK(cudaMalloc(&a, 64)), CK(cudaMalloc(&q, 8)), CK(cudaMemset(a, 0, 64));
    load<<<1, 1>>>(a + 8, q);
    CK(cudaDeviceSynchronize());
    load<<<1, 1>>>(a + 12, q);
    NAME(cudaDeviceSynchronize());
}
