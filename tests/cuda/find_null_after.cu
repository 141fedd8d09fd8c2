// An allocation fails, nobody looks, and a kernel uses the null pointer: the second finding is the first one's consequence.
// sim only
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: cudaMalloc failed with cudaErrorMemoryAllocation
// stderr: writes 4 bytes out of bounds: a null pointer: a consequence of the allocation that failed before
#include "common.h"
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p = nullptr;
    cudaMalloc(&p, 1ull << 50);
    k<<<1, 32>>>(p);
    NAME(cudaDeviceSynchronize());
}
