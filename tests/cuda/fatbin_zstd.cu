// PTX in the program compressed with zstd.
// flags: --compress-mode=size
// expect: 42
#include "common.h"
__device__ int pad[1000];
__global__ void k(int *p) { *p = pad[0] + 42; }
int main() {
    int *d, h;
    CK(cudaMalloc(&d, 4));
    k<<<1, 1>>>(d);
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h);
}
