// expect: done
// A constant table in two halves: while a kernel reads one, the other is written in another stream, and an event orders
// the kernel that reads that. Nothing races.
#include "common.h"
__constant__ float table[2][32];
__global__ void filter(float *x, int n, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += table[half][i % 32] + table[half][3];
}
int main() {
    enum { N = 4000 };
    static float host[2][32];
    float *x;
    cudaStream_t a, b;
    cudaEvent_t written, read;
    CK(cudaMalloc(&x, N * sizeof *x));
    CK(cudaMemset(x, 0, N * sizeof *x));
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaEventCreate(&written));
    CK(cudaEventCreate(&read));
    CK(cudaMemcpyToSymbol(table, host, sizeof host));
    CK(cudaDeviceSynchronize());
    for (int k = 0; k < 6; k++) {
        filter<<<16, 256, 0, a>>>(x, N, k % 2);
        CK(cudaMemcpyToSymbolAsync(table, host, sizeof host[0], (k + 1) % 2 * sizeof host[0], cudaMemcpyHostToDevice, b));
        CK(cudaEventRecord(written, b));
        CK(cudaEventRecord(read, a));
        CK(cudaStreamWaitEvent(a, written, 0));
        CK(cudaStreamWaitEvent(b, read, 0));
    }
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
