// Matrix product, as fast as you can.
// zh: 矩阵乘法，越快越好。

constexpr int TILE = 32;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// TODO: this tiled version reads two numbers from shared memory for every
// multiply-add. Let each thread keep a small square of outputs in registers
// (4 x 4, say), load tiles with float4, and fetch the next tiles while you
// multiply the present ones.
// zh: TODO：这个分 tile 的版本每做一次乘加要读两次共享内存。
// zh: 让每个线程在寄存器里保存一个小方阵的输出（例如 4 x 4），
// zh: 用 float4 装入 tile，并在计算当前 tile 时预取下一个。
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
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

void matmul_open(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
