// lab: vector-add
// expect: pass
// Waits a thousand times.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < 1000; i++) cudaDeviceSynchronize();
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
