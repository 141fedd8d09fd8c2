// kind: slow
// expect: fail counter shared_load_conflicts
// expect: met correct
// expect: met counter global_store_sectors
// Half the technique: coalesced on both sides, but each column of the tile lies in one single bank.
const int TILE = 32, ROWS = 8; // a block of 32 x 8 threads moves a 32 x 32 tile

__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    // The tile's place in the output: block coordinates swapped, and threadIdx.x runs along memory again.
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
