// Matrix product for any n: each thread computes one element, and threadIdx.x selects the column.
// zh: 任意 n 的矩阵乘法：每个线程算一个元素，threadIdx.x 决定列号。

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// c = a * b for n x n matrices stored row by row.
// zh: c = a * b，n x n 的矩阵，按行存储。
__global__ void product(const float *a, const float *b, float *c, int n) {
    // Neighbouring lanes have neighbouring columns.
    // zh: 相邻的 lane 处理相邻的列。
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    // All lanes of a warp read a[row * n + k] from one address: a broadcast. They read
    // b[k * n + col] from consecutive addresses.
    // zh: 一个 warp 的所有 lane 从同一个地址读 a[row * n + k]，即广播；从连续的地址读 b[k * n + col]。
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    dim3 block(32, 8);
    dim3 grid(blocks_for(n, block.x), blocks_for(n, block.y));
    product<<<grid, block>>>(a, b, c, n);
}
