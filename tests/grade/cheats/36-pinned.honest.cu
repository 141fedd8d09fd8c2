// lab: vector-add
// expect: pass
// The device adds; then the host looks at results in page-locked memory, and gives nothing back.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float *h;
    cudaMallocHost(&h, 2 * n * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    int m = n < 1024 ? n : 1024;
    cudaMemcpy(h, c, m * sizeof(float), cudaMemcpyDefault);
    volatile float sum = 0;
    for (int i = 0; i < m; i++) sum = sum + h[i];
    cudaFreeHost(h);
}
