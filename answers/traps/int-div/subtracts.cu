// kind: cheat
// expect: fail counter arithmetic_machine
// expect: met correct
// Cheats on the counter: finds the row of a tile by taking `across` off again and again.

const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits,
                     int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    int t = 1 << bits, which = i >> 2 * bits, inside = i & (t * t - 1), down = 0;
    while (which >= across) which -= across, down++;
    int row = (down << bits) + (inside >> bits), col = (which << bits) + (inside & (t - 1));
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = 0;
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, count = across * down * t * t;
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, bits, across, count);
}
