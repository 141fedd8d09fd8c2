// Matrix product with a column-major b: coalesced loads, the corner is turned in shared memory.
// zh: b 按列存储的矩阵乘法：读取合并，在共享内存里转角。

constexpr int TILE = 32;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

__global__ void product(const float *a, const float *b, float *c, int n) {
    // One column of padding: a column of bt lies in 32 different banks.
    // zh: 多一列填充：bt 的一列落在 32 个不同的存储体里。
    __shared__ float at[TILE][TILE], bt[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    // The column of b that this row of threads fetches.
    // zh: 这一行线程负责取的 b 的那一列。
    int load_col = blockIdx.x * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        // tx runs along memory, then down the tile.
        // zh: tx 先沿着内存走，再沿 tile 的列往下走。
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
