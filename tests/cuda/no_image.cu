// PTX for sm_90a alone is no image for another device, as on hardware.
// flags: -gencode=arch=compute_90a,code=compute_90a
// device: sim:a100
// sim only
// expect: cudaErrorNoKernelImageForDevice
// stderr: this fat binary has PTX only for sm_90a, and the device is an sm_80
#include "common.h"
__global__ void nothing() {}
int main() {
    nothing<<<1, 1>>>();
    NAME(cudaGetLastError());
}
