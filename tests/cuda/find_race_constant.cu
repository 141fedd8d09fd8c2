// sim only
// expect: done
// finding: race
// A constant table is written anew in one stream while a kernel of another may still read it.
#include "common.h"
__constant__ float table[64];
__global__ void filter(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = table[i % 16];
}
int main() {
    enum { N = 4000 };
    static float host[64];
    float *x;
    cudaStream_t a, b;
    CK(cudaMalloc(&x, N * sizeof *x));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaMemcpyToSymbol(table, host, sizeof host));
    filter<<<16, 256, 0, a>>>(x, N);
    CK(cudaMemcpyToSymbolAsync(table, host, sizeof host, 0, cudaMemcpyHostToDevice, b));
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
