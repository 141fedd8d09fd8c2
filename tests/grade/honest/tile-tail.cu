// matmul-tiled: what of a tile lies beyond the matrix is never filled; its products go to sums that nobody stores
constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        int depth = n - k0 < TILE ? n - k0 : TILE;
        if (row < n && tx < depth) at[ty][tx] = a[row * n + k0 + tx];
        if (col < n && ty < depth) bt[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < depth; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    product<<<grid, block>>>(a, b, c, n);
}
