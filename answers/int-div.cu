// int-div, solved: blockIdx.y is the row of tiles. Within this row, shifts and masks are enough.
// zh: int-div 的参考答案：blockIdx.y 就是第几行 tile；一行 tile 之内，用移位和掩码。
const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits,
                     int across) {
    int i = blockIdx.x * BLOCK + threadIdx.x, t = 1 << bits;
    int tile_col = i >> 2 * bits, inside = i & (t * t - 1);
    if (tile_col >= across) return;
    int row = (blockIdx.y << bits) + (inside >> bits);
    int col = (tile_col << bits) + (inside & (t - 1));
    // A row of tiles holds across * t * t bytes.
    // zh: 一行 tile 共 across * t * t 字节。
    out += blockIdx.y * across << 2 * bits;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    // log2(t), which the host computes once.
    // zh: log2(t)，由主机算一次。
    int bits = 0;
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) >> bits, down = (rows + t - 1) >> bits;
    dim3 grid(((across << 2 * bits) + BLOCK - 1) / BLOCK, down);
    tile<<<grid, BLOCK>>>(in, out, rows, cols, bits, across);
}
