// Impossible launches are refused by the launch itself and leave the device usable.
// fast
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: 7
#include "common.h"
__global__ void k(int *p) { if (p) *p = 7; }
__global__ void __launch_bounds__(64) small(int *p) { *p = 9; }
int main() {
    int *d, h = 0;
    CK(cudaMalloc(&d, 4));
    k<<<1, 1025>>>(d), NAME(cudaGetLastError());
    k<<<0, 32>>>(d), NAME(cudaGetLastError());
    k<<<1, 0>>>(d), NAME(cudaGetLastError());
    k<<<1, dim3(64, 32)>>>(d), NAME(cudaGetLastError());
    k<<<1, dim3(1, 1, 65)>>>(d), NAME(cudaGetLastError());
    k<<<dim3(1, 65536), 1>>>(d), NAME(cudaGetLastError());
    k<<<1, 32, 49153>>>(d), NAME(cudaGetLastError());
    k<<<1, 1024, 49152>>>(d), NAME(cudaGetLastError());
    small<<<1, 128>>>(d), NAME(cudaGetLastError());
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h);
}
