// Dynamic shared memory, beyond 48 KB after opting in.
// fast
// expect: 100 ok
// expect: without opting in cudaErrorInvalidValue
// expect: 61440 ok
#include "common.h"
__global__ void reverse(int *p, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = p[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = s[n - 1 - i];
}
static void run(int n) {
    int *d, *h = (int *)malloc(n * 4), bad = 0;
    for (int i = 0; i < n; i++) h[i] = i;
    CK(cudaMalloc(&d, n * 4)), CK(cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice));
    reverse<<<1, 128, n * 4>>>(d, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) bad += h[i] != n - 1 - i;
    printf("%d %s\n", n == 100 ? n : n * 4, bad ? "wrong" : "ok");
}
int main() {
    int *d;
    run(100);
    CK(cudaMalloc(&d, 61440));
    reverse<<<1, 128, 61440>>>(d, 15360);
    printf("without opting in %s\n", cudaGetErrorName(cudaGetLastError()));
    CK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
    run(15360);
}
