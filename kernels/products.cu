// Three ways to multiply n x n matrices stored row by row, for lessons that measure what each asks of the global memory. Any n.
#include "matmul.h"

constexpr int TILE = 32;
constexpr int COLUMNS = 4;

// Every operand comes from the global memory each time it is used.
__global__ void plain_product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

// A tile of a meets `columns` tiles of b: each thread computes that many elements of its row.
template <int columns>
__global__ void tile_product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[columns][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int first = blockIdx.x * TILE * columns + tx;
    float sum[columns] = {};
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        for (int i = 0; i < columns; i++) {
            int col = first + i * TILE;
            bt[i][ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int i = 0; i < columns; i++) sum[i] += at[ty][k] * bt[i][k][tx];
        __syncthreads();
    }
    for (int i = 0; i < columns; i++) {
        int col = first + i * TILE;
        if (row < n && col < n) c[row * n + col] = sum[i];
    }
}

void plain(const float *a, const float *b, float *c, int n) {
    dim3 block(32, 8), grid(blocks_for(n, block.x), blocks_for(n, block.y));
    plain_product<<<grid, block>>>(a, b, c, n);
}

void tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    tile_product<1><<<grid, block>>>(a, b, c, n);
}

void coarse(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE * COLUMNS), blocks_for(n, TILE));
    tile_product<COLUMNS><<<grid, block>>>(a, b, c, n);
}
