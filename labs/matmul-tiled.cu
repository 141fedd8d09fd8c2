// Matrix product with tiles in shared memory. This version is correct and its
// accesses coalesce, but each block reads the same rows and columns from
// global memory again and again.
// zh: 用共享内存分块的矩阵乘法。这个版本结果正确、访问合并，
// zh: 但每个线程块都反复从全局内存读同样的行和列。

constexpr int TILE = 16;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// c = a * b for n x n matrices stored row by row.
// zh: c = a * b，n x n 的矩阵，按行存储。
__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    // TODO: divide the loop over k into phases of TILE steps. In each phase,
    // the block loads one TILE x TILE tile of a and one of b into shared memory
    // (each thread one element of each tile, 0 past the edge), waits, and
    // multiplies the tiles. That takes two barriers in each phase. No thread
    // may return while its block still has barriers ahead.
    // zh: TODO：把对 k 的循环分成几个阶段，每个阶段 TILE 步。每个阶段里，
    // zh: 线程块把 a 和 b 各一个 TILE x TILE 的 tile 装入共享内存（每个线程
    // zh: 给每个 tile 装一个元素，超出边界处装 0），等待，再用两个 tile 相乘。
    // zh: 每个阶段要两次屏障。线程块后面还有屏障时，任何线程都不能返回。
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
