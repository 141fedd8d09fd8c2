// lab: int-div
// expect: pass
// The block has the shape of a tile.
__global__ void tile(const unsigned char *in, unsigned char *out, int rows, int cols) {
    int t = blockDim.x, row = blockIdx.y * t + threadIdx.y, col = blockIdx.x * t + threadIdx.x;
    out += (blockIdx.y * gridDim.x + blockIdx.x) * t * t;
    out[threadIdx.y * t + threadIdx.x] = row < rows && col < cols ? in[row * cols + col] : 0;
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    tile<<<dim3((cols + t - 1) / t, (rows + t - 1) / t), dim3(t, t)>>>(in, out, rows, cols);
}
