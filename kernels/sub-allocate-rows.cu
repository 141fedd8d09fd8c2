// What sub-allocate measures about rows: a copy by blocks of 32 x 8 threads, each warp along one row, rows as wide as the data.
__global__ void copy(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols) out[r * cols + c] = in[r * cols + c];
}

void tidy_up(const float *in, float *out, int rows, int cols) {
    copy<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
