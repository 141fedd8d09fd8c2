// lab: vector-add
// expect: pass
// Mapped host memory, written by the host and read by the device, takes part.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n, const int *zero) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + *zero;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int *zero;
    cudaHostAlloc((void **)&zero, sizeof *zero, cudaHostAllocMapped);
    *zero = 0;
    add<<<(n + 63) / 64, 64>>>(a, b, c, n, zero);
    cudaDeviceSynchronize();
    cudaFreeHost(zero);
}
