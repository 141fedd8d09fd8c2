// lab: vector-add
// expect: pass
// Memory of every kind, given back.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    void *d, *pool;
    if (cudaMalloc(&d, 64 << 20) || cudaMallocAsync(&pool, 64 << 20, 0)) return;
    cudaMemsetAsync(d, 0, 1 << 20);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaFreeAsync(pool, 0);
    cudaFree(d);
}
