// Matrix product with b stored by columns: element (k, col) is b[col * n + k].
// The tiles are right, but look at the load of b: which lane loads which
// address?
// zh: b 按列存储的矩阵乘法：元素 (k, col) 是 b[col * n + k]。
// zh: tile 没有错，但请看读取 b 的那一行：哪个 lane 读哪个地址？

constexpr int TILE = 32;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        // TODO: let neighbouring lanes (tx) load neighbouring addresses of b,
        // and turn the corner in the store to shared memory. Then mind the
        // banks: in which banks does a column of bt lie?
        // zh: TODO：让相邻的 lane（tx）读取 b 的相邻地址，
        // zh: 在写入共享内存时转角。然后留意存储体：
        // zh: bt 的一列落在哪些存储体里？
        bt[ty][tx] = k0 + ty < n && col < n ? b[col * n + k0 + ty] : 0;
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
