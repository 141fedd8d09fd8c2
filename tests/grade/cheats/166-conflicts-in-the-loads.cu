// lab: corner-turning
// expect: fail counter
// expect: says shared_load_passes is
// The loads of b coalesce and the tile is stored along its rows. But then the product reads down its columns: the corner is turned there, with all conflicts.
constexpr int TILE = 32;
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx, load_col = blockIdx.x * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[tx][k];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
void corner_turning(const float *a, const float *b, float *c, int n) {
    product<<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}
