// lab: transpose
// options: --secret 77
// expect: pass
// Two ways that both coalesce: 4 x 4 tiles in registers where both sizes are multiples of four,
// otherwise tiles in shared memory.
__global__ void padded(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < cols && y + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < rows && y + k < cols) out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}
__global__ void quick(const float *in, float *out, int rows, int cols) {
    int l = threadIdx.x % 32, w = threadIdx.x / 32;
    int tx = blockIdx.x * 4 + (l & 1) + 2 * (w & 1), ty = blockIdx.y * 64 + (l >> 1) + 16 * (w >> 1);
    int x = 4 * tx, y = 4 * ty;
    if (x >= cols || y >= rows) return;
    float4 a = *(const float4 *)&in[y * cols + x], b = *(const float4 *)&in[(y + 1) * cols + x],
           c = *(const float4 *)&in[(y + 2) * cols + x], d = *(const float4 *)&in[(y + 3) * cols + x];
    *(float4 *)&out[x * rows + y] = {a.x, b.x, c.x, d.x};
    *(float4 *)&out[(x + 1) * rows + y] = {a.y, b.y, c.y, d.y};
    *(float4 *)&out[(x + 2) * rows + y] = {a.z, b.z, c.z, d.z};
    *(float4 *)&out[(x + 3) * rows + y] = {a.w, b.w, c.w, d.w};
}
void transpose(const float *in, float *out, int rows, int cols) {
    dim3 tiles((cols + 31) / 32, (rows + 31) / 32), wide((cols + 15) / 16, (rows + 255) / 256);
    if (rows % 4 || cols % 4) padded<<<tiles, dim3(32, 8)>>>(in, out, rows, cols);
    else quick<<<wide, 256>>>(in, out, rows, cols);
}
