// transpose: the matrix `in` has `rows` rows of `cols` floats, and
// `out` has `cols` rows of `rows` floats: out[x][y] = in[y][x]. The
// loads are coalesced. What about the stores?
// zh: in 有 rows 行，每行 cols 个 float；
// zh: out 有 cols 行，每行 rows 个 float：
// zh: out[x][y] = in[y][x]。读取是合并的，写入呢？

// A block of 32 x 8 threads moves a 32 x 32 tile.
// zh: 一个 32 x 8 线程的块搬运一个 32 x 32 的 tile。
const int TILE = 32, ROWS = 8;

__global__ void turn(const float *in, float *out, int rows, int cols) {
    // TODO: load the tile into shared memory first. Then store it along the
    // rows of the output. Avoid bank conflicts.
    // zh: TODO：先把 tile 读进共享内存，再沿输出的行写出去。
    // zh: 注意避免存储体冲突。
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
