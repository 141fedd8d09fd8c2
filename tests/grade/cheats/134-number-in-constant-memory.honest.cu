// lab: int-div
// expect: pass
// The host copies one number, and the kernel finds the place of each pixel.
const int BLOCK = 256;
__constant__ int log2_of;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int across) {
    int bits = log2_of;
    int i = blockIdx.x * BLOCK + threadIdx.x, t = 1 << bits;
    int tile_col = i >> 2 * bits, inside = i & (t * t - 1);
    if (tile_col >= across) return;
    int row = (blockIdx.y << bits) + (inside >> bits);
    int col = (tile_col << bits) + (inside & (t - 1));
    out += blockIdx.y * across << 2 * bits;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = 0;
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) >> bits, down = (rows + t - 1) >> bits;
    cudaMemcpyToSymbolAsync(log2_of, &bits, sizeof bits);
    dim3 grid(((across << 2 * bits) + BLOCK - 1) / BLOCK, down);
    tile<<<grid, BLOCK>>>(in, out, rows, cols, across);
}
