// A kernel that launches another: refused in one line.
// sim only
// flags: -rdc=true
// expect: cudaErrorNotSupported
// stderr: parent: PTX line
// stderr: launching kernels from kernels (dynamic parallelism) is not supported
#include "common.h"
__global__ void child(int *o) { *o = 7; }
__global__ void parent(int *o) { child<<<1, 1>>>(o); }
int main() {
    int *d;
    CK(cudaMalloc(&d, 4));
    parent<<<1, 1>>>(d);
    NAME(cudaDeviceSynchronize());
}
