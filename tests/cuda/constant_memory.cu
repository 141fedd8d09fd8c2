// Constant memory: initial and copied values, by uniform and by lane's own index.
// fast
// expect: 285
// expect: 4 3 2 1
#include "common.h"
__constant__ int squares[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81};
__constant__ int small[4];
__global__ void k(int *out) {
    int s = 0;
    for (int i = 0; i < 10; i++) s += squares[i];
    out[threadIdx.x + 1] = small[3 - threadIdx.x];
    if (!threadIdx.x) out[0] = s;
}
int main() {
    int *d, h[5], v[4] = {1, 2, 3, 4};
    CK(cudaMalloc(&d, sizeof h));
    CK(cudaMemcpyToSymbol(small, v, 8)), CK(cudaMemcpyToSymbol(small, v + 2, 8, 8));
    k<<<1, 4>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d\n%d %d %d %d\n", h[0], h[1], h[2], h[3], h[4]);
}
