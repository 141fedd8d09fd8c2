// The 16 x 16 tiles of the textbooks. matmul-tiled measures this kernel on a G80 and on an H200.
#include "matmul.h"

constexpr int TILE = 16;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        // Each thread stores one element of each tile: past the edge a zero, which adds nothing.
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads(); // no thread reads the tiles before they are complete
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads(); // no thread overwrites the tiles before all threads have read them
    }
    if (row < n && col < n) c[row * n + col] = sum; // one store, after the last phase
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
