// Out of bounds: into the gap between two allocations, once a site with a count, and not at the last element.
// sim only
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: find_oob_gap.cu:11: thread 25 of block 0 of step writes 4 bytes out of bounds
// stderr: just past the end of the 100-byte allocation
// stderr: (7)
#include "common.h"
__global__ void step(int *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] = i; // n is 32, there are 25
}
int main() {
    int *a, *b;
    CK(cudaMalloc(&a, 100)), CK(cudaMalloc(&b, 100));
    step<<<1, 25>>>(a, 32);
    CK(cudaDeviceSynchronize());
    step<<<1, 32>>>(a, 32);
    NAME(cudaDeviceSynchronize());
}
