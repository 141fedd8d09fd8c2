// lab: int-div
// expect: pass
// The host finds log2(t); of a power of two the quotient is a shift, and of a row of tiles it is the block's own place.
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits, int across) {
    int mask = (1 << bits) - 1, i = blockIdx.x * 256 + threadIdx.x, which = i >> 2 * bits;
    if (which >= across) return;
    int row = (blockIdx.y << bits) + (i >> bits & mask), col = (which << bits) + (i & mask);
    out[(blockIdx.y * across << 2 * bits) + i] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = __builtin_ctz(t), across = (cols + t - 1) >> bits, down = (rows + t - 1) >> bits;
    tile<<<dim3(((across << 2 * bits) + 255) / 256, down), 256>>>(in, out, rows, cols, bits, across);
}
