// lab: vector-add
// expect: pass
// Allocates, fills, copies and frees in each call.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float *t;
    cudaMalloc(&t, n * sizeof(float));
    add<<<(n + 63) / 64, 64>>>(a, b, t, n);
    cudaMemcpy(c, t, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(t);
}
