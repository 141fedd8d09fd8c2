// vector-add: correct alone: a kernel computes into managed memory, the host prints it, and a copy takes it to the output
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    float *sum;
    cudaMallocManaged(&sum, n * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, sum, n);
    cudaDeviceSynchronize();
    printf("it begins with %g\n", sum[0]);
    cudaMemcpy(c, sum, n * sizeof(float), cudaMemcpyDefault);
    cudaFree(sum);
}
