// lab: int-div
// expect: pass
// 1/t by the exponent of t: exact, because t is a power of two, and as cheap as a shift. The grid has the row of tiles.
const int BLOCK = 256;
__device__ float inv(int t) { return __int_as_float((254 << 23) - __float_as_int((float)t)); } // exact for powers of two
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols, int t, int across) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float r = inv(t);
    int tile_col = (int)((float)i * r * r), inside = i - tile_col * t * t;
    if (tile_col >= across) return;
    int q = (int)((float)inside * r);
    int row = blockIdx.y * t + q, col = tile_col * t + inside - q * t;
    out += blockIdx.y * across * t * t;
    out[i] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t;
    dim3 grid((across * t * t + BLOCK - 1) / BLOCK, down);
    tile<<<grid, BLOCK>>>(in, out, rows, cols, t, across);
}
