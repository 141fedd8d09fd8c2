// kind: slow
// expect: fail counter misdirected_copies
// expect: met correct
// expect: met counter const_per_load
// The direction of the copy is left out: host to device, though the taps lie in device memory.
const int MOST = 64;
__constant__ float tap[MOST];

__global__ void filter(const float *in, const float *gain, float *out, int rows, int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (c + k < cols) sum += tap[k] * in[r * cols + c + k];
    out[r * cols + c] = gain[c] * sum;
}

void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(tap, taps, m * sizeof(float));
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, gain, out, rows, cols, m);
}
