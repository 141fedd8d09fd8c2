// lab: int-div
// expect: pass
// A kernel for each size of a tile, chosen by the argument.
template <int SHIFT> __global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols) {
    const int T = 1 << SHIFT, LEFT = SHIFT < 4 ? 8 >> SHIFT - 2 : 1;
    int across = (cols + T - 1) / T, x = blockIdx.x * LEFT + (threadIdx.x >> SHIFT);
    int row = blockIdx.y * T + threadIdx.y, col = x * T + (threadIdx.x & T - 1);
    if (x >= across) return;
    size_t at = ((size_t)(blockIdx.y * across + x) << 2 * SHIFT) + (threadIdx.y << SHIFT) + (threadIdx.x & T - 1);
    out[at] = row < rows && col < cols ? in[row * cols + col] : 0;
}
template <int SHIFT> void launch(const unsigned char *in, unsigned char *out, int rows, int cols) {
    const int T = 1 << SHIFT, LEFT = SHIFT < 4 ? 8 >> SHIFT - 2 : 1;
    int across = (cols + T - 1) / T, down = (rows + T - 1) / T;
    tile<SHIFT><<<dim3((across + LEFT - 1) / LEFT, down), dim3(T * LEFT, T)>>>(in, out, rows, cols);
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    if (t == 4) launch<2>(in, out, rows, cols);
    else if (t == 8) launch<3>(in, out, rows, cols);
    else if (t == 16) launch<4>(in, out, rows, cols);
    else launch<5>(in, out, rows, cols);
}
