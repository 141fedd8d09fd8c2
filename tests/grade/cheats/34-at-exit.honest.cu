// lab: vector-add
// expect: pass
// Frees in a destructor what it kept.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static void *kept;
__attribute__((destructor)) static void last() { cudaFree(kept); }
void vector_add(const float *a, const float *b, float *c, int n) {
    if (!kept) cudaMalloc(&kept, 4096);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
