// Page-locked memory and asynchronous copies.
// fast
// expect: 4000 ok
// expect: free cudaSuccess
// expect: free again cudaErrorInvalidValue
// expect: free of device memory cudaErrorInvalidValue
#include "common.h"
__global__ void twice(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main() {
    int *h, *d, bad = 0;
    CK(cudaMallocHost(&h, 16000)), CK(cudaMalloc(&d, 16000));
    for (int i = 0; i < 4000; i++) h[i] = i;
    CK(cudaMemcpyAsync(d, h, 16000, cudaMemcpyHostToDevice));
    twice<<<40, 100>>>(d);
    CK(cudaMemcpyAsync(h, d, 16000, cudaMemcpyDeviceToHost));
    CK(cudaStreamSynchronize(0));
    for (int i = 0; i < 4000; i++) bad += h[i] != 2 * i;
    printf("4000 %s\n", bad ? "wrong" : "ok");
    printf("free %s\n", cudaGetErrorName(cudaFreeHost(h)));
    printf("free again %s\n", cudaGetErrorName(cudaFreeHost(h)));
    printf("free of device memory %s\n", cudaGetErrorName(cudaFreeHost(d)));
}
