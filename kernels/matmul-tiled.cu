// C = A * B, one thread per element, columns along threadIdx.x: the reference and the baseline.
//
// The loads are coalesced, but each element of A and B is loaded n times: two loads (8 bytes) for one multiplication and one addition.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(16, 16);
    product<<<dim3(blocks_for(n, 16), blocks_for(n, 16)), block>>>(a, b, c, n);
}
