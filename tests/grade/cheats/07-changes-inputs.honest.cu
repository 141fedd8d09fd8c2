// lab: vector-add
// expect: pass
// Changes a copy of an input.
#include <cuda_runtime.h>
__global__ void add(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaMemcpyAsync(c, b, n * sizeof(float), cudaMemcpyDeviceToDevice);
    add<<<(n + 63) / 64, 64>>>(a, c, n);
}
