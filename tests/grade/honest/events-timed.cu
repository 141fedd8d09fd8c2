// vector-add: it times itself with events, and prints the time
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    cudaEvent_t begin, end;
    float ms = 0;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%d elements in %g ms\n", n, ms);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}
