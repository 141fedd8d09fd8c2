// lab: int-div
// expect: pass
// The host works out a multiplier for the one divisor that is no power of two; a multiplication and a shift take the place of the division.
const int BLOCK = 256;
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits, int across, unsigned per, int shift, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    int t = 1 << bits, which = i >> 2 * bits, inside = i & (t * t - 1), down = (int)((unsigned long long)which * per >> shift);
    int row = (down << bits) + (inside >> bits), col = (which - down * across << bits) + (inside & (t - 1));
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = 0, shift = 31;
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, count = across * down * t * t;
    while (1u << (shift - 31) < (unsigned)across) shift++; // 2^31 * across <= 2^shift < 2^32 * across
    unsigned per = (unsigned)((1ull << shift) / across + 1);
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, bits, across, per, shift, count);
}
