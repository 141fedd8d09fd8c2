// The baseline of transpose: a warp reads along a row, so its loads coalesce. It writes down a column, so each lane touches a sector
// of its own.
const int TILE = 32, ROWS = 8; // a block of 32 x 8 threads moves a 32 x 32 tile

__global__ void turn(const float *in, float *out, int rows, int cols) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) out[x * rows + y + j] = in[(y + j) * cols + x];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
