// kind: unsafe
// expect: fail
// expect: finding oob
// Reads beyond the end of the row: the next row's samples, and after the last row nobody's.
const int MOST = 64;
__constant__ float tap[MOST];

__global__ void filter(const float *in, const float *gain, float *out, int rows, int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += tap[k] * in[r * cols + c + k];
    out[r * cols + c] = gain[c] * sum;
}

void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, gain, out, rows, cols, m);
}
