// lab: transpose
// expect: pass
// The tile is turned when it is written, too, but each row begins one word later: neither the stores nor the loads have conflicts.
const int TILE = 32, ROWS = 8;
__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.x][(threadIdx.y + j + threadIdx.x) % TILE] = in[(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.y + j][(threadIdx.x + threadIdx.y + j) % TILE];
}
void transpose(const float *in, float *out, int rows, int cols) {
    turn<<<dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
