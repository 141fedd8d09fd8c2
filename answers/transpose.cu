// transpose, solved: the block transposes its tile in shared memory, so both loads and stores run
// along rows. Each row of the tile has one word of padding, so the 32 words of a column lie in 32
// different banks. For large matrices, tiles of 64 x 64 with 64 x 4 threads come closer to the speed
// of a copy.
// zh: transpose 的参考答案：tile 在共享内存里转置，所以读取和写入都沿着行进行。
// zh: tile 的每行多一个字的填充，使一列的 32 个字落在 32 个不同的存储体里。矩阵很大时，
// zh: 64 x 64 的 tile 加 64 x 4 个线程更接近拷贝的速度。

// A block of 32 x 8 threads moves a 32 x 32 tile.
// zh: 一个 32 x 8 线程的块搬运一个 32 x 32 的 tile。
const int TILE = 32, ROWS = 8;

__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    // The swapped indices of the block give the tile's place in the output. There, too,
    // threadIdx.x runs along a row.
    // zh: 交换块的下标，得到 tile 在输出中的位置。在输出中，threadIdx.x 也沿行方向变化。
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
