// Allocation in stream order.
// fast
// expect: 100 ok
// expect: used 0
// expect: cudaErrorInvalidValue
#include "common.h"
__global__ void fill(int *p, int n, int v) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i;
}
int main() {
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    int bad = 0, *p = NULL;
    for (int r = 0; r < 100; r++) {
        int h[777];
        CK(cudaMallocAsync(&p, sizeof h, s));
        fill<<<1, 128, 0, s>>>(p, 777, r);
        CK(cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, s));
        CK(cudaFreeAsync(p, s));
        CK(cudaStreamSynchronize(s));
        for (int i = 0; i < 777; i++) bad += h[i] != r + i;
    }
    printf("100 %s\n", bad ? "wrong" : "ok");
    cudaMemPool_t pool;
    unsigned long long used;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0)), CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("used %llu\n", used);
    NAME(cudaFree(p));
}
