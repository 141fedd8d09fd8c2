// malloc and free in a kernel; a block's memory outlives its kernel.
// expect: 4950
// expect: freed
#include "common.h"
__device__ int *kept;
__global__ void make(int n) {
    kept = (int *)malloc(n * sizeof(int));
    if (kept)
        for (int i = 0; i < n; i++) kept[i] = i;
}
__global__ void use(int n, int *sum) {
    int s = 0;
    for (int i = 0; i < n; i++) s += kept[i];
    *sum = s;
    free(kept);
}
int main() {
    int *d, h;
    CK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CK(cudaMalloc(&d, 4));
    make<<<1, 1>>>(100);
    use<<<1, 1>>>(100, d);
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\nfreed\n", h);
}
