// transpose, solved: the tile turns in shared memory, so that reads and writes both run along rows;
// a column of padding keeps the 32 words of a column in 32 different banks. The simple form; tiles
// of 64 x 64 with 64 x 4 threads come nearer to a copy on large matrices.
// zh: transpose 的参考答案：tile 在共享内存里转置，读和写都沿着行进行；多一列填充，使一列的 32 个字
// zh: 落在 32 个不同的存储体里。这是简单的写法；矩阵很大时，64 x 64 的 tile 加 64 x 4 个线程更接近
// zh: 拷贝的速度。

// A block of 32 x 8 threads moves a 32 x 32 tile.
// zh: 一个 32 x 8 线程的块搬运一个 32 x 32 的 tile。
const int TILE = 32, ROWS = 8;

__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    // The tile's place in the output: the block's coordinates are swapped, and threadIdx.x runs
    // along memory again.
    // zh: tile 在输出中的位置：交换块的坐标，threadIdx.x 仍沿着内存方向变化。
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
