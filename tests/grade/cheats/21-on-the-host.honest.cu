// lab: vector-add
// expect: pass
// Reads one element back and decides nothing by it; the device does the work.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float first;
    cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
