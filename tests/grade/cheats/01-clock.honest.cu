// lab: vector-add
// expect: pass
// Times itself with events and prints it: nothing wrong with that.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    printf("%f ms\n", ms);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}
