// A transpose and a vector add that go as far as the hardware does: what the labs' answers show in steps, at full width.

// A tile of 64 x 64 turned by 64 x 4 threads, 16 elements each in flight; a column of padding against bank conflicts.
const int FAST_TILE = 64, FAST_ROWS = 4;
__global__ void __launch_bounds__(FAST_TILE *FAST_ROWS) turn_fast(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[FAST_TILE][FAST_TILE + 1];
    int x = blockIdx.x * FAST_TILE + threadIdx.x, y = blockIdx.y * FAST_TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < FAST_TILE; j += FAST_ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * FAST_TILE + threadIdx.x, y = blockIdx.x * FAST_TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < FAST_TILE; j += FAST_ROWS)
        if (x < rows && y + j < cols) out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
static void transpose_fast(const float *in, float *out, int rows, int cols) {
    dim3 grid((cols + FAST_TILE - 1) / FAST_TILE, (rows + FAST_TILE - 1) / FAST_TILE);
    turn_fast<<<grid, dim3(FAST_TILE, FAST_ROWS)>>>(in, out, rows, cols);
}

// 16 bytes a load, one a thread.
__global__ void add_fast(const float4 *a, const float4 *b, float4 *c, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
static void vector_add_fast(const float *a, const float *b, float *c, int n) {
    add_fast<<<(n / 4 + 255) / 256, 256>>>((const float4 *)a, (const float4 *)b, (float4 *)c, n / 4);
}
