// kind: slow
// expect: fail counter shared_store_passes
// expect: met correct
// expect: met counter global_load_sectors
// The load is coalesced, but the transposed store puts all 32 lanes into one bank.
#include "matmul.h"

constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE];
    __shared__ float bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int load_col = blockIdx.x * TILE + ty; // the column of b that this row of threads fetches
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0; // tx runs along memory, then down the tile
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void corner_turning(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), dim3(TILE, TILE)>>>(a, b, c, n);
}
