// vector-add: a page-locked result is looked at between two kernels
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void again(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && c[i] != a[i] + b[i]) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    float *h;
    cudaMallocHost(&h, 64 * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(h, c, (n < 64 ? n : 64) * sizeof(float), cudaMemcpyDeviceToHost);
    printf("it begins with %g\n", h[0]);
    again<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaFreeHost(h);
}
