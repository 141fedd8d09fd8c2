// A kernel reads what was freed before its launch.
// sim only
// expect: cudaErrorIllegalAddress
// finding: use-after-free
// stderr: find_use_after_free.cu:8: thread 0 of block 0 of read reads memory that was freed: byte 0 of the 128-byte allocation
// stderr: (32)
#include "common.h"
__global__ void read(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; }
int main() {
    int *a, *b;
    CK(cudaMalloc(&a, 128)), CK(cudaMalloc(&b, 128)), CK(cudaMemset(a, 0, 128));
    read<<<1, 32>>>(a, b);
    CK(cudaDeviceSynchronize()), CK(cudaFree(a));
    read<<<1, 32>>>(a, b);
    NAME(cudaDeviceSynchronize());
}
