// lab: corner-turning
// expect: fail counter
// expect: says shared_store_passes is
// The lanes of a warp store down the tile's column one after another, so that no two meet in a bank.
constexpr int TILE = 32;
static int blocks_for(int n, int size) { return (n + size - 1) / size; }
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx, load_col = blockIdx.x * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        float v = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;
#pragma unroll 1
        for (int l = 0; l < 32; l++)
            if (tx == l) ((volatile float (*)[TILE])bt)[tx][ty] = v;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
void corner_turning(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid(blocks_for(n, TILE), blocks_for(n, TILE));
    product<<<grid, block>>>(a, b, c, n);
}
