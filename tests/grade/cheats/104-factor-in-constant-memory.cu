// lab: matmul-tiled
// expect: fail counter
// expect: says device_loads is
// No tile of `a`: 32 of its rows at a time are copied into constant memory.
const int ROWS = 32, COLUMNS = 32, ROOM = 16384;
__constant__ float rows_of_a[ROOM];
__global__ void product(const float *b, float *c, int n, int rows) {
    __shared__ float tile[COLUMNS][COLUMNS];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * COLUMNS + tx;
    float sum[ROWS / 8] = {};
    for (int k0 = 0; k0 < n; k0 += COLUMNS) {
        for (int y = ty; y < COLUMNS; y += 8) tile[y][tx] = k0 + y < n && col < n ? b[(k0 + y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < COLUMNS && k0 + k < n; k++)
            for (int j = 0; j < ROWS / 8; j++) {
                int r = ty + 8 * j;
                sum[j] += rows_of_a[(r < rows ? r : 0) * n + k0 + k] * tile[k][tx];
            }
        __syncthreads();
    }
    for (int j = 0; j < ROWS / 8; j++)
        if (ty + 8 * j < rows && col < n) c[(ty + 8 * j) * n + col] = sum[j];
}
void matmul_tiled(const float *a, const float *b, float *c, int n) {
    for (int r = 0; r < n; r += ROWS) {
        int rows = n - r < ROWS ? n - r : ROWS;
        cudaMemcpyToSymbolAsync(rows_of_a, a + (size_t)r * n, sizeof(float) * rows * n, 0, cudaMemcpyDeviceToDevice);
        product<<<(n + COLUMNS - 1) / COLUMNS, dim3(COLUMNS, 8)>>>(b, c + (size_t)r * n, n, rows);
    }
}
