// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// Turns the problem round: coalesced writes, and now the reads are strided.
const int TILE = 32, ROWS = 8; // a block of 32 x 8 threads moves a 32 x 32 tile

__global__ void turn(const float *in, float *out, int rows, int cols) {
    int y = blockIdx.y * TILE + threadIdx.x, x = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x + j < cols && y < rows) out[(x + j) * rows + y] = in[y * cols + x + j];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
