// lab: vector-add
// expect: pass
// Allocates and frees its own.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    void *scratch;
    cudaMalloc(&scratch, 1000);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    cudaFree(scratch);
}
