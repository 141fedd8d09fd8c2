// A kernel over ragged sizes.
// fast
// expect: 1 ok
// expect: 1003 ok
// expect: 100000 ok
#include "common.h"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main() {
    for (int n : {1, 1003, 100000}) {
        float *h = (float *)malloc(n * 4), *a, *b, *c;
        for (int i = 0; i < n; i++) h[i] = i % 1000;
        CK(cudaMalloc(&a, n * 4)), CK(cudaMalloc(&b, n * 4)), CK(cudaMalloc(&c, n * 4));
        CK(cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice)), CK(cudaMemcpy(b, h, n * 4, cudaMemcpyHostToDevice));
        add<<<(n + 63) / 64, 64>>>(a, b, c, n);
        CK(cudaGetLastError());
        CK(cudaMemcpy(h, c, n * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int i = 0; i < n; i++) bad += h[i] != 2 * (i % 1000);
        printf("%d %s\n", n, bad ? "wrong" : "ok");
        CK(cudaFree(a)), CK(cudaFree(b)), CK(cudaFree(c));
        free(h);
    }
}
