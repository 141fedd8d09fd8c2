// lab: transpose
// expect: fail counter
// expect: says shared_stores is
// The tile is turned when it is written, and the lanes write down its columns one after another, so that no two meet in a bank.
const int TILE = 32, ROWS = 8;
__global__ void turn(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        float v = x < cols && y + j < rows ? in[(y + j) * cols + x] : 0;
#pragma unroll 1
        for (int lane = 0; lane < 32; lane++) {
            if (threadIdx.x == lane) ((volatile float *)tile[threadIdx.x])[threadIdx.y + j] = v;
            __syncwarp();
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.y + j][threadIdx.x];
}
void transpose(const float *in, float *out, int rows, int cols) {
    turn<<<dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
