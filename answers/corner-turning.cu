// Matrix product with b stored by columns. The loads coalesce, and the store to shared memory
// transposes the tile of b.
// zh: b 按列存储的矩阵乘法：读取是合并的，b 的 tile 在写入共享内存时转置。

constexpr int TILE = 32;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

__global__ void product(const float *a, const float *b, float *c, int n) {
    // With one column of padding, a column of bt lies in 32 different banks.
    // zh: 多一列填充之后，bt 的一列落在 32 个不同的存储体里。
    __shared__ float at[TILE][TILE], bt[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    // The threads with this ty load this column of b.
    // zh: ty 相同的线程读取 b 的这一列。
    int load_col = blockIdx.x * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        // Neighbouring tx load neighbouring addresses, and store down a column of the tile.
        // zh: tx 相邻的线程读相邻的地址，再沿 tile 的一列写入。
        bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void corner_turning(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
