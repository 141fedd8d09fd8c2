// lab: transpose
// expect: pass
// A few atomics beside coalesced loads and stores: blocks take their tiles from a counter.
const int TILE = 32, ROWS = 8;
__device__ unsigned next_tile;
__global__ void turn(const float *in, float *out, int rows, int cols, int across, int tiles) {
    __shared__ float tile[TILE][TILE + 1];
    __shared__ unsigned mine;
    for (;;) {
        if (!threadIdx.x && !threadIdx.y) mine = atomicAdd(&next_tile, 1);
        __syncthreads();
        if (mine >= tiles) return;
        int x = mine % across * TILE + threadIdx.x, y = mine / across * TILE + threadIdx.y;
        for (int j = 0; j < TILE; j += ROWS)
            if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
        __syncthreads();
        x = mine / across * TILE + threadIdx.x, y = mine % across * TILE + threadIdx.y;
        for (int j = 0; j < TILE; j += ROWS)
            if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
        __syncthreads();
    }
}
__global__ void begin() { next_tile = 0; }
void transpose(const float *in, float *out, int rows, int cols) {
    int across = (cols + TILE - 1) / TILE, tiles = across * ((rows + TILE - 1) / TILE);
    begin<<<1, 1>>>();
    turn<<<tiles < 64 ? tiles : 64, dim3(TILE, ROWS)>>>(in, out, rows, cols, across, tiles);
}
