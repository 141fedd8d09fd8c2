// C = A * B through 32 x 32 tiles, one output per thread: the reference and the baseline.
//
// All blocks of a row of the grid load the same tiles of A.
#include "matmul.h"

constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void matmul_coarse(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
