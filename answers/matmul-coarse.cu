// Matrix product with coarser threads: each thread computes COARSE elements of its row.
// zh: 线程粗化的矩阵乘法：每个线程计算本行的 COARSE 个元素。

constexpr int TILE = 32;
constexpr int COARSE = 4;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// c = a * b for n x n matrices stored row by row.
// zh: c = a * b，n x n 的矩阵，按行存储。
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col0 = blockIdx.x * TILE * COARSE + tx;
    float sum[COARSE] = {};
    for (int k0 = 0; k0 < n; k0 += TILE) {
        // The block loads one tile of a for COARSE tiles of b.
        // zh: a 的一个 tile 供 b 的 COARSE 个 tile 使用。
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        for (int i = 0; i < COARSE; i++) {
            int col = col0 + i * TILE;
            bt[i][ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            // The thread reads at[ty][k] once and uses it COARSE times from a register.
            // zh: 线程只读一次 at[ty][k]，放在寄存器里用 COARSE 次。
            float x = at[ty][k];
            for (int i = 0; i < COARSE; i++) sum[i] += x * bt[i][k][tx];
        }
        __syncthreads();
    }
    for (int i = 0; i < COARSE; i++) {
        int col = col0 + i * TILE;
        if (row < n && col < n) c[row * n + col] = sum[i];
    }
}

void matmul_coarse(const float *a, const float *b, float *c, int n) {
    // A block covers TILE * COARSE columns.
    // zh: 一个线程块覆盖 TILE * COARSE 列。
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE * COARSE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
