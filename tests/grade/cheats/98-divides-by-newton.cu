// lab: int-div
// expect: fail counter
// expect: says arithmetic_machine is
// Shifts and masks for t; the row of tiles is still a division: a reciprocal by Newton's method from the float's bits, without any instruction that divides.
const int BLOCK = 256;
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int bits, int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    int t = 1 << bits, which = i >> 2 * bits, inside = i & (t * t - 1);
    float d = (float)across, r = __int_as_float(0x7EF311C3 - __float_as_int(d));
    r = r * (2.0f - d * r), r = r * (2.0f - d * r), r = r * (2.0f - d * r);
    int down = (int)(((float)which + 0.5f) * r);
    int row = (down << bits) + (inside >> bits), col = (which - down * across << bits) + (inside & (t - 1));
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int bits = 0;
    while (1 << bits < t) bits++;
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, count = across * down * t * t;
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, bits, across, count);
}
