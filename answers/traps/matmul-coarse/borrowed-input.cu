// kind: cheat
// expect: fail correct
// Zeroes its inputs once it is done, so that whoever checks by computing again from them finds zeros everywhere.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row < n && col < n) c[row * n + col] = 0;
}

void matmul_coarse(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, 32), blocks_for(n, 32)), dim3(32, 32)>>>(a, b, c, n);
    cudaMemsetAsync(const_cast<float *>(a), 0, sizeof(float) * n * n);
    cudaMemsetAsync(const_cast<float *>(b), 0, sizeof(float) * n * n);
}
