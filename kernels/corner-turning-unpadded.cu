// The corner is turned, but the tile has no padding: a warp stores a column of the tile, 32 words of a single bank. corner-turning
// counts the passes.
#include "matmul.h"

constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int load_col = blockIdx.x * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void corner_turning(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), dim3(TILE, TILE)>>>(a, b, c, n);
}
