// kind: slow
// expect: fail counter all_load_bytes
// expect: met counter global_load_bytes
// expect: met correct
// The textbook's kernel: one tile of b after another, and at[ty][k] read from shared memory again for each of them.
#include "matmul.h"

constexpr int TILE = 32;
constexpr int COARSE = 4;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col0 = blockIdx.x * TILE * COARSE + tx;
    float sum[COARSE] = {};
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0; // once for all COARSE tiles of b
        for (int i = 0; i < COARSE; i++) {
            int col = col0 + i * TILE;
            bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
            __syncthreads();
            for (int k = 0; k < TILE; k++) sum[i] += at[ty][k] * bt[k][tx];
            __syncthreads();
        }
    }
    for (int i = 0; i < COARSE; i++) {
        int col = col0 + i * TILE;
        if (row < n && col < n) c[row * n + col] = sum[i];
    }
}

void matmul_coarse(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
