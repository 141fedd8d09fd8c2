// Matrix product, as fast as you can.
// zh: 矩阵乘法，越快越好。

constexpr int TILE = 32;

// The number of blocks of `size` threads that cover n.
// zh: 每块 size 个线程时，覆盖 n 需要多少块。
static int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}

// TODO: for each multiply-add, this version reads two words from shared memory.
// Let each thread keep a small square of outputs in registers, for example
// 4 x 4. Use float4 loads. While the block multiplies the tiles of one phase,
// load the tiles of the next phase.
// zh: TODO：这个版本每做一次乘加，要从共享内存读两个字。
// zh: 让每个线程在寄存器里保存一个小方阵的输出，例如 4 x 4 个。用 float4
// zh: 读取。线程块用一个阶段的 tile 做乘法时，就读取下一阶段的 tile。
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
