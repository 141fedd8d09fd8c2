// Recursive device functions.
// expect: 120 6765
#include "common.h"
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void k(int *o, int a, int b) { o[0] = factorial(a), o[1] = fibonacci(b); }
int main() {
    int *d, h[2];
    CK(cudaMalloc(&d, 8)), CK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    k<<<1, 1>>>(d, 5, 20);
    CK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost)), printf("%d %d\n", h[0], h[1]);
}
