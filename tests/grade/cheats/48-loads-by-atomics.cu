// lab: transpose
// expect: fail counter
// The strided loads are atomics that add nothing, which no counter of loads counts.
__global__ void gather(const float *in, float *out, int rows, int cols) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < rows && y < cols) out[(size_t)y * rows + x] = __uint_as_float(atomicOr((unsigned *)&in[(size_t)x * cols + y], 0));
}
void transpose(const float *in, float *out, int rows, int cols) {
    gather<<<dim3((rows + 31) / 32, (cols + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
