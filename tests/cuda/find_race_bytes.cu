// sim only
// expect: done
// finding: race
// Two streams write the same bytes, a byte at a time.
#include "common.h"
__global__ void fill(unsigned char *x, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
int main() {
    int n = 1000;
    unsigned char *x;
    cudaStream_t a, b;
    CK(cudaMalloc(&x, n));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    fill<<<4, 256, 0, a>>>(x, 502, 1);
    fill<<<4, 256, 0, b>>>(x + 501, n - 501, 2); // byte 501
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
