// lab: matmul-coarse
// expect: fail counter
// expect: says all_load_bytes is
// One output a thread as before: `a` comes from constant memory, which no goal counted, in place of a tile.
constexpr int TILE = 32;
static int blocks_for(int n, int size) { return (n + size - 1) / size; }
__constant__ float ac[16384];
__global__ void product(const float *b, float *c, int n, int first, int rows) {
    __shared__ float bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE && k0 + k < n; k++) sum += ac[(row < rows ? row : 0) * n + k0 + k] * bt[k][tx];
        __syncthreads();
    }
    if (row < rows && col < n) c[(first + row) * n + col] = sum;
}
void matmul_coarse(const float *a, const float *b, float *c, int n) {
    int most = 16384 / n / 32 * 32;
    for (int first = 0; first < n; first += most) {
        int rows = n - first < most ? n - first : most;
        cudaMemcpyToSymbolAsync(ac, a + first * n, 4 * rows * n, 0, cudaMemcpyDeviceToDevice, 0);
        product<<<dim3(blocks_for(n, TILE), blocks_for(rows, TILE)), dim3(TILE, TILE)>>>(b, c, n, first, rows);
    }
}
