// transpose: in has `rows` rows of `cols` floats; out gets `cols` rows of
// `rows` floats:
// out[x][y] = in[y][x]. The reads are coalesced. Look at the writes.
// zh: in 有 rows 行、每行 cols 个 float；out 有 cols 行、
// zh: 每行 rows 个：out[x][y] = in[y][x]。
// zh: 读取是合并的，请看写入。

// A block of 32 x 8 threads moves a 32 x 32 tile.
// zh: 一个 32 x 8 线程的块搬运一个 32 x 32 的 tile。
const int TILE = 32, ROWS = 8;

__global__ void turn(const float *in, float *out, int rows, int cols) {
    // TODO: bring the tile into shared memory first, then write it out along
    // the rows of the output. Mind the banks.
    // zh: TODO：先把 tile 读进共享内存，再沿输出矩阵的行方向写出去。
    // zh: 注意存储体。
    int x = blockIdx.x * TILE + threadIdx.x,
        y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows)
            out[x * rows + y + j] = in[(y + j) * cols + x];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE),
        block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
