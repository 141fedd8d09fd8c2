// Recursion that takes more stack than cudaLimitStackSize, then one with the limit raised.
// sim only
// expect: cudaSuccess
// expect: cudaErrorIllegalAddress
// finding: stack
// stderr: overflows its stack: cudaLimitStackSize is 1,024 bytes, this call needs
#include "common.h"
__device__ __noinline__ int depth(int n, int *from) {
    int mine[32];
    for (int i = 0; i < 32; i++) mine[i] = n + from[i & 3];
    return n ? depth(n - 1, mine) + mine[n & 31] : mine[7];
}
__global__ void go(int *o, int n) {
    int s[4] = {1, 2, 3, 4};
    o[threadIdx.x] = depth(n, s);
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 128)), CK(cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10));
    go<<<1, 32>>>(d, 50);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    go<<<1, 32>>>(d, 50);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
