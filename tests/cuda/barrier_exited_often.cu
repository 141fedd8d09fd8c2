// A warp that exits early does not count again at every later barrier: the others still reach the end.
// expect: 96 of 96
// fast
#include "common.h"
__global__ void k(int *out, int rounds) {
    __shared__ int s[128];
    if (threadIdx.x < 32) return;
    s[threadIdx.x] = 0;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        s[threadIdx.x]++;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] == rounds;
}
int main() {
    int *d, h[128], n = 0;
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemset(d, 0, sizeof h));
    k<<<1, 128>>>(d, 9);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 32; i < 128; i++) n += h[i];
    printf("%d of 96\n", n);
}
