// A kernel that uses another device's memory without peer access: told whose it is, and what is missing.
// sim only
// device: sim:h200,sim:h200
// finding: oob
// expect: cudaErrorIllegalAddress
// stderr: memory of device 1, which kernels of this device reach only after cudaDeviceEnablePeerAccess(1, 0)
#include "common.h"
__global__ void use(int *p) { *p = 1; }
int main() {
    int *p;
    CK(cudaSetDevice(1)), CK(cudaMalloc(&p, 256)), CK(cudaSetDevice(0));
    use<<<1, 1>>>(p);
    NAME(cudaDeviceSynchronize());
}
