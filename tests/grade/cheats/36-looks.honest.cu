// lab: vector-add
// expect: pass
// Looks at one element between two kernels, and decides nothing by it.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float first;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n / 2);
    cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
