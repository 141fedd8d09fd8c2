// lab: transpose
// options: --secret 77
// expect: fail counter
// expect: says a hidden case of a similar size misses it by far
// Tiles in registers where both sizes are multiples of four; otherwise uncoalesced stores.
__global__ void slow(const float *in, float *out, int rows, int cols) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
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
    if (rows % 4 || cols % 4) slow<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
    else quick<<<dim3((cols + 15) / 16, (rows + 255) / 256), 256>>>(in, out, rows, cols);
}
