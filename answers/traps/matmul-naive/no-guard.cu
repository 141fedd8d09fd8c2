// kind: unsafe
// expect: finding oob
// No boundary check: the threads past the edge read and write outside the matrices.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    dim3 block(16, 16);
    product<<<dim3(blocks_for(n, 16), blocks_for(n, 16)), block>>>(a, b, c, n);
}
