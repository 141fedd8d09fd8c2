// What a kernel was made for on a device with a minor version: ten times the major one, and the minor one.
// fast
// device: sim:t4
// sim only
// expect: for compute_75 on sm_75
// expect: device 7.5
#include "common.h"
__global__ void one(int *p) { *p = 1; }
int main() {
    cudaFuncAttributes a;
    CK(cudaFuncGetAttributes(&a, one));
    printf("for compute_%d on sm_%d\n", a.ptxVersion, a.binaryVersion);
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    printf("device %d.%d\n", p.major, p.minor);
}
