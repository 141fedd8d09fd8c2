// vector-add: correct alone: the host prepares managed memory, kernels work on it in place, the host looks, kernels go on
#include <cstdio>

__global__ void add(const float *a, const float *b, float *half, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) half[i] = half[i] * (a[i] + b[i]);
}
__global__ void twice(const float *half, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = 2 * half[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    float *half;
    cudaMallocManaged(&half, n * sizeof(float));
    for (int i = 0; i < n; i++) half[i] = 0.5f;
    add<<<(n + 255) / 256, 256>>>(a, b, half, n);
    cudaDeviceSynchronize();
    printf("it begins with %g\n", half[0]);
    twice<<<(n + 255) / 256, 256>>>(half, c, n);
    cudaDeviceSynchronize();
    cudaFree(half);
}
