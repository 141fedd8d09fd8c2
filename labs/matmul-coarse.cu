// Matrix product with coarser threads. Now each block of a row of the grid
// loads the same tiles of a. Let one block do the work of several neighbouring
// blocks.
// zh: 线程粗化的矩阵乘法。现在网格的一行里，每个线程块都装入 a 的同样几个
// zh: tile。请让一个线程块做几个相邻线程块的工作。

constexpr int TILE = 32;
// TODO: constexpr int COARSE = 4;
// zh: TODO：constexpr int COARSE = 4;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// c = a * b for n x n matrices stored row by row.
// zh: c = a * b，n x n 的矩阵，按行存储。
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    // TODO: let each thread compute COARSE elements of its row, TILE columns
    // apart: col, col + TILE, ... In each phase, load one tile of a and COARSE
    // tiles of b, and read at[ty][k] once for all COARSE sums.
    // zh: TODO：让每个线程计算本行相隔 TILE 列的 COARSE 个元素：col、
    // zh: col + TILE……每个阶段里，装入 a 的一个 tile 和 b 的 COARSE 个
    // zh: tile；at[ty][k] 只读一次，供 COARSE 个累加和使用。
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
    // zh: TODO：一个线程块现在要覆盖 TILE * COARSE 列。
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
