// C = A * B for n x n matrices stored row by row: the reference and the baseline.
//
// One thread computes one element. The grid covers any n, so the result is right. But threadIdx.x is the row: the 32 lanes of
// a warp (16 x 2 threads of the block) read 16 different rows of A and write 16 different rows of C.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    dim3 block(16, 16);
    dim3 grid(blocks_for(n, block.x), blocks_for(n, block.y));
    product<<<grid, block>>>(a, b, c, n);
}
