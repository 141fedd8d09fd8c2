// lab: int-div
// expect: fail counter
// Every quotient is a division of floats, mended by a step: div.approx, which is no division to inst_div.
const int BLOCK = 256;
__device__ int quotient(int a, int b) {
    int q = (int)__fdividef((float)a, (float)b), rest = a - q * b;
    return q + (rest >= b) - (rest < 0);
}
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int t, int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    int which = quotient(i, t * t), inside = i - which * t * t, down = quotient(which, across), in_row = quotient(inside, t);
    int row = down * t + in_row, col = (which - down * across) * t + inside - in_row * t;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, count = across * down * t * t;
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, t, across, count);
}
