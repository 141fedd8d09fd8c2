// lab: vector-add
// expect: pass
// Asks what its kernel needs, and launches it by its address.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaFuncAttributes f;
    if (cudaFuncGetAttributes(&f, add) != cudaSuccess || f.maxThreadsPerBlock < 64) return;
    void *args[] = {&a, &b, &c, &n};
    cudaLaunchKernel((const void *)add, dim3((n + 63) / 64), dim3(64), args, 0, nullptr);
}
