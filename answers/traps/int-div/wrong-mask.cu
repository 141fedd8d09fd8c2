// kind: wrong
// expect: fail correct
// Masks with t in place of t - 1.
const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits,
                     int across) {
    int i = blockIdx.x * BLOCK + threadIdx.x, t = 1 << bits;
    int tile_col = i >> 2 * bits, inside = i & (t * t - 1);
    if (tile_col >= across) return;
    int row = (blockIdx.y << bits) + (inside >> bits);
    int col = (tile_col << bits) + (inside & t);
    out += blockIdx.y * across << 2 * bits;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = 0; // log2 of t: found once, on the host
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) >> bits, down = (rows + t - 1) >> bits;
    dim3 grid(((across << 2 * bits) + BLOCK - 1) / BLOCK, down);
    tile<<<grid, BLOCK>>>(in, out, rows, cols, bits, across);
}
