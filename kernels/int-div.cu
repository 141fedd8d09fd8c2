// The baseline of int-div: each thread finds its place from one flat index, with divisors that are known only at run time.

const int BLOCK = 256;

__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int t,
                     int across, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) return;
    int which = i / (t * t), inside = i % (t * t);
    int row = which / across * t + inside / t, col = which % across * t + inside % t;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}

void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, count = across * down * t * t;
    tile<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols, t, across, count);
}
