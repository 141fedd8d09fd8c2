// Twenty thousand launches without waiting.
// expect: 20000
#include "common.h"
__global__ void inc(int *p) { ++*p; }
int main() {
    int *d, h;
    CK(cudaMalloc(&d, 4)), CK(cudaMemset(d, 0, 4));
    for (int i = 0; i < 20000; i++) inc<<<1, 1>>>(d);
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h);
}
