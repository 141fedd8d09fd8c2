// vector-add: correct alone: a factor goes to constant memory, scratch is made and freed, and the host looks in between
#include <cstdio>

__constant__ float factor;

__global__ void scale(const float *a, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = factor * a[i];
}
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    float *scratch, one = 1, first;
    cudaMalloc(&scratch, n * sizeof(float));
    cudaMemcpyToSymbol(factor, &one, sizeof one);
    scale<<<(n + 255) / 256, 256>>>(a, scratch, n);
    cudaMemcpy(&first, scratch, sizeof first, cudaMemcpyDeviceToHost);
    printf("it begins with %g\n", first);
    add<<<(n + 255) / 256, 256>>>(scratch, b, c, n);
    cudaFree(scratch);
}
