// What a child does wrong is found in it, and its parent's launch is what failed.
// sim only
// flags: -rdc=true
// finding: oob
// expect: cudaErrorIllegalAddress
// stderr: child
#include "common.h"
__global__ void child(int *o) { o[threadIdx.x] = 1; }
__global__ void parent(int *o) { child<<<1, 8>>>(o); }
int main() {
    int *d;
    CK(cudaMalloc(&d, 16));
    parent<<<1, 1>>>(d);
    NAME(cudaDeviceSynchronize());
}
