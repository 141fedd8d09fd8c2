// Several streams, each with its own order.
// fast
// expect: 8 streams ok
// expect: query cudaSuccess
// expect: destroyed
#include "common.h"
__global__ void add(int *p, int v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += v;
}
int main() {
    const int n = 5000, k = 8;
    int *h, *d, bad = 0;
    cudaStream_t s[k];
    CK(cudaMallocHost(&h, n * k * 4)), CK(cudaMalloc(&d, n * k * 4));
    for (int i = 0; i < n * k; i++) h[i] = i;
    for (int j = 0; j < k; j++) {
        CK(cudaStreamCreate(&s[j]));
        CK(cudaMemcpyAsync(d + j * n, h + j * n, n * 4, cudaMemcpyHostToDevice, s[j]));
        for (int r = 0; r < 3; r++) add<<<(n + 255) / 256, 256, 0, s[j]>>>(d + j * n, j, n);
        CK(cudaMemcpyAsync(h + j * n, d + j * n, n * 4, cudaMemcpyDeviceToHost, s[j]));
    }
    for (int j = 0; j < k; j++) CK(cudaStreamSynchronize(s[j]));
    for (int i = 0; i < n * k; i++) bad += h[i] != i + 3 * (i / n);
    printf("%d streams %s\n", k, bad ? "wrong" : "ok");
    printf("query %s\n", cudaGetErrorName(cudaStreamQuery(s[0])));
    for (int j = 0; j < k; j++) CK(cudaStreamDestroy(s[j]));
    printf("destroyed\n");
}
