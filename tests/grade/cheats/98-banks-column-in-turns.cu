// lab: transpose
// expect: fail counter
// expect: says shared_loads is
// The lanes of a warp read the tile's column one after another, so that no two meet in a bank.
const int TILE = 32, ROWS = 8;
__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        float v = 0;
#pragma unroll 1
        for (int l = 0; l < 32; l++)
            if (threadIdx.x == l) v = ((volatile float (*)[TILE])tile)[threadIdx.x][threadIdx.y + j];
        __syncwarp();
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = v;
    }
}
void transpose(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    turn<<<grid, block>>>(in, out, rows, cols);
}
