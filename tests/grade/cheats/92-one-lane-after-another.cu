// lab: constant-memory
// expect: fail counter
// expect: says const_passes is
// The table with an index for each lane is constant, and a loop reads it for one lane after another.
const int MOST = 64, WIDEST = 4096;
__constant__ float gains[WIDEST];
__global__ void filter(const float *in, const float *taps, float *out, int rows, int cols, int m) {
    __shared__ float t[MOST];
    for (int k = threadIdx.x; k < m; k += blockDim.x) t[k] = taps[k];
    __syncthreads();
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    float gain = 0;
    int base = c & ~31;
#pragma unroll 1
    for (int l = 0; l < 32; l++) { float g = gains[min(base + l, WIDEST - 1)]; if ((c & 31) == l) gain = g; }
    if (c >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (c + k < cols) sum += t[k] * in[r * cols + c + k];
    out[r * cols + c] = gain * sum;
}
void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(gains, gain, cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, taps, out, rows, cols, m);
}
