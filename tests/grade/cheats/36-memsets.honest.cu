// lab: vector-add
// expect: pass
// Memsets clear the output first, and the host looks at it last.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float last;
    cudaMemset(c, 0, n * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(&last, c + n - 1, sizeof last, cudaMemcpyDeviceToHost);
}
