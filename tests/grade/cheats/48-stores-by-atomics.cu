// lab: transpose
// expect: fail counter
// The strided stores are exchanges, which no counter of stores counts.
__global__ void exchange(const float *in, float *out, int rows, int cols) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < cols && y < rows) atomicExch(&out[(size_t)x * rows + y], in[(size_t)y * cols + x]);
}
void transpose(const float *in, float *out, int rows, int cols) {
    cudaMemset(out, 0, (size_t)rows * cols * sizeof *out);
    exchange<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
