// lab: vector-add
// expect: pass
// Kernels print between one another.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void tell(const float *c) {
    printf("%g\n", c[0]);
}
void vector_add(const float *a, const float *b, float *c, int n) {
    tell<<<1, 1>>>(a);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    tell<<<1, 1>>>(c);
    cudaDeviceSynchronize();
}
