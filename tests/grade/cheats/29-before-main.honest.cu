// lab: vector-add
// expect: pass
// Makes its stream in a constructor.
#include <cuda_runtime.h>
static cudaStream_t own;
__attribute__((constructor)) static void first() { cudaStreamCreate(&own); }
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64, 0, own>>>(a, b, c, n); }
