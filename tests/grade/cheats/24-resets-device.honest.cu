// lab: vector-add
// expect: pass
// Asks for the last error, sets the device and waits for it.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaSetDevice(0);
    cudaGetLastError();
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    if (cudaDeviceSynchronize() != cudaSuccess) __builtin_trap();
}
