// lab: vector-add
// expect: pass
// Inputs go through variables of the device, which copies them itself.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__device__ float left[1 << 21];
void vector_add(const float *a, const float *b, float *c, int n) {
    float *x;
    cudaGetSymbolAddress((void **)&x, left);
    cudaMemcpyToSymbolAsync(left, a, n * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    add<<<(n + 255) / 256, 256>>>(x, b, c, n);
}
