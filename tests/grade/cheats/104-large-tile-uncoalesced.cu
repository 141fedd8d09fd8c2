// lab: corner-turning
// expect: fail counter
// expect: says gld_efficiency_pct is
// Tiles of 128 x 128 outputs need a quarter of the loads, so the lanes may load b as badly as before.
const int TILE = 128, DEEP = 16, SIDE = 8;
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[DEEP][TILE + 1], bt[DEEP][TILE];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[SIDE][SIDE] = {};
    for (int k0 = 0; k0 < n; k0 += DEEP) {
        for (int i = t; i < TILE * DEEP; i += 256) {
            int k = i % DEEP, r = i / DEEP;
            at[k][r] = row0 + r < n && k0 + k < n ? a[(row0 + r) * n + k0 + k] : 0;
        }
        for (int i = t; i < TILE * DEEP; i += 256) {
            int col = i % TILE, k = i / TILE; // neighbouring lanes: neighbouring columns
            bt[k][col] = col0 + col < n && k0 + k < n ? b[(col0 + col) * n + k0 + k] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEEP; k++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) sum[y][x] += at[k][ty + 16 * y] * bt[k][tx + 16 * x];
        __syncthreads();
    }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int row = row0 + ty + 16 * y, col = col0 + tx + 16 * x;
            if (row < n && col < n) c[row * n + col] = sum[y][x];
        }
}
void corner_turning(const float *a, const float *b, float *c, int n) {
    int across = (n + TILE - 1) / TILE;
    product<<<dim3(across, across), 256>>>(a, b, c, n);
}
