// Matrix product, one thread per element. This program works only if one block
// has enough threads for the whole matrix, and it reads memory in the wrong
// direction.
// zh: 矩阵乘法，每个线程算一个元素。整个矩阵能放进一个线程块时才正确，
// zh: 而且读内存的方向不对。

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// c = a * b for n x n matrices stored row by row.
// zh: c = a * b，n x n 的矩阵，按行存储。
__global__ void product(const float *a, const float *b, float *c, int n) {
    // TODO: a thread of any block must find its element; threads past the edge
    // must not access memory. Neighbouring threads (threadIdx.x) should work on
    // neighbouring columns, not rows.
    // zh: TODO：任何一个线程块里的线程都要能找到自己的元素；
    // zh: 超出边界的线程不得访问内存。
    // zh: 相邻的线程（threadIdx.x）应当处理相邻的列，而不是相邻的行。
    int row = threadIdx.x;
    int col = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    // TODO: a block may have at most 1024 threads, so the launch fails if n is
    // above 32. Choose a block of fixed size. The grid then has more blocks.
    // zh: TODO：一个线程块最多 1024 个线程，n 超过 32 时启动会失败。
    // zh: 请选一个固定的块大小，这样网格里就不止一个块了。
    dim3 block(n, n), grid(blocks_for(n, block.x), blocks_for(n, block.y));
    product<<<grid, block>>>(a, b, c, n);
}
