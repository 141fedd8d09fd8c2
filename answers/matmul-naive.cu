// Matrix product, one thread per element: any n, columns along threadIdx.x.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x; // neighbouring lanes: neighbouring columns
    if (row >= n || col >= n) return;
    float sum = 0;
    // a[row * n + k]: one address for the whole row of lanes, a broadcast. b[k * n + col]: consecutive addresses.
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    dim3 block(32, 8);
    dim3 grid(blocks_for(n, block.x), blocks_for(n, block.y));
    product<<<grid, block>>>(a, b, c, n);
}
