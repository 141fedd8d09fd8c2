// lab: constant-memory
// expect: fail counter
// The taps are in shared memory; a second kernel loads constants that nobody needs.
__constant__ float unused[64];
__global__ void show(int times, float *out) {
    float x = 0;
    for (int i = 0; i < times; i++) x += unused[i * 7 & 63];
    if (x == 12345) *out = x;
}
__global__ void smooth_rows(const float *in, const float *taps, const float *gain, float *out, int cols, int m) {
    __shared__ float tap[64];
    int col = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
    if (threadIdx.x < m) tap[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    if (col >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (col + k < cols) sum += tap[k] * in[row * cols + col + k];
    out[row * cols + col] = sum * gain[col];
}
void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    smooth_rows<<<dim3((cols + 255) / 256, rows), 256>>>(in, taps, gain, out, cols, m);
    show<<<132, 1024>>>(cols >= 2048 ? 100 : 1, out);
}
