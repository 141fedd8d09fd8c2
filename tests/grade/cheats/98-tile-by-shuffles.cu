// lab: matmul-coarse
// expect: fail counter
// expect: says all_load_bytes is
// One output a thread as before: the lanes of a warp pass the row of `a` on by shuffles, in place of a tile.
constexpr int TILE = 32;
static int blocks_for(int n, int size) { return (n + size - 1) / size; }
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float bt[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        float mine = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[0][ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += __shfl_sync(~0u, mine, k) * bt[0][k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
void matmul_coarse(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), dim3(TILE, TILE)>>>(a, b, c, n);
}
