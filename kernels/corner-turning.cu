// C = A * B where B is stored column by column: element (k, col) is b[col * n + k]. The reference and the baseline.
//
// Tiled, but neighbouring lanes load from neighbouring columns of B: their addresses are n elements apart, so each lane touches a
// sector of its own.
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
        bt[ty][tx] = k0 + ty < n && col < n ? b[col * n + k0 + ty] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void corner_turning(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), dim3(TILE, TILE)>>>(a, b, c, n);
}
