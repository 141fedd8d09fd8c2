// sim only
// expect: done
// finding: race
// A kernel in one stream, and in others that nothing orders: a copy of what it writes, and a memset.
#include "common.h"
__global__ void fill(float *x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
int main() {
    enum { N = 4000 };
    float *x, *host;
    cudaStream_t a, b;
    cudaMalloc(&x, N * sizeof *x);
    cudaMallocHost(&host, N * sizeof *host);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    fill<<<16, 256, 0, a>>>(x, N, 1);
    cudaMemcpyAsync(host, x, N * sizeof *x, cudaMemcpyDeviceToHost, b);
    cudaDeviceSynchronize();
    cudaFreeHost(host);
    cudaFree(x);
    printf("done\n");
}
