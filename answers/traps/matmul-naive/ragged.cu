// kind: ragged
// expect: fail correct
// Rounds the grid down: the last rows and columns of a ragged matrix are never computed.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    int side = n < 16 ? n : 16;
    dim3 block(side, side);
    product<<<dim3(n / side, n / side), block>>>(a, b, c, n);
}
