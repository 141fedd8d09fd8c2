// Matrix product with coarser threads.
//
// Blocks that lie side by side load the same tile of a, each for itself. Let one block do the work of several neighbours.
//
// 线程粗化的矩阵乘法。左右相邻的线程块各自装入同一个 a 的小块；请让一个线程块做几个相邻线程块的工作。
#include "matmul.h"

constexpr int TILE = 32; // TODO: and constexpr int COARSE = 4; / TODO：再加上 constexpr int COARSE = 4;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    // TODO: let each thread compute COARSE elements of its row, TILE columns apart: col, col + TILE, ... The tile of a is
    //       loaded once a phase and used COARSE times; the tiles of b come one after another.
    // TODO：让每个线程计算本行相隔 TILE 列的 COARSE 个元素：col、col + TILE……每个阶段 a 的小块只装一次、用 COARSE 次，b 的小块依次装入。
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
    // TODO: a block now covers TILE * COARSE columns.
    // TODO：一个线程块现在覆盖 TILE * COARSE 列。
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
