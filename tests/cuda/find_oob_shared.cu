// Past the end of a block's shared memory, static and dynamic; its last elements may be used.
// sim only
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: find_oob_shared.cu:11: thread 31 of block 0 of shift writes 4 bytes
// stderr: of shared memory
#include "common.h"
__global__ void shift(int by) {
    extern __shared__ int more[];
    __shared__ volatile int s[32];
    s[(threadIdx.x + by) & 63] = threadIdx.x;
    if (by == 32) more[threadIdx.x] = by;
}
int main() {
    shift<<<1, 32, 128>>>(32); // the dynamic part lies behind
    CK(cudaDeviceSynchronize());
    shift<<<1, 32>>>(0);
    CK(cudaDeviceSynchronize());
    shift<<<1, 32>>>(1);
    NAME(cudaDeviceSynchronize());
}
