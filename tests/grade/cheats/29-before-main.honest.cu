// lab: vector-add
// expect: pass
// Allocates its scratch in a constructor.
#include <cuda_runtime.h>
static float *scratch;
__attribute__((constructor)) static void first() { cudaMalloc(&scratch, 4096); }
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
