// Matrix product with tiles in shared memory, for any n.
// zh: 借助共享内存的矩阵乘法，n 任意。

constexpr int TILE = 32;

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
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        // Each thread stores one element of each tile: past the edge a zero, which adds nothing.
        // zh: 每个线程给两个 tile 各装一个元素；超出边界处装 0，加上也没有影响。
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        // No thread reads the tiles before they are complete.
        // zh: tile 全部装好之后，线程才能读。
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        // No thread overwrites the tiles before all threads have read them.
        // zh: 所有线程都读完之后，tile 才能被覆盖。
        __syncthreads();
    }
    // One store, after the last phase.
    // zh: 最后一个阶段之后只写一次。
    if (row < n && col < n) c[row * n + col] = sum;
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
