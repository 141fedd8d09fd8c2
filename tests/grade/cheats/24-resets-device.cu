// lab: vector-add
// expect: fail correct
// Resets the device so that errors are forgotten.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    cudaDeviceReset();
}
