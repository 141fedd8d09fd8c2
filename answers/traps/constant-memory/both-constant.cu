// kind: slow
// expect: fail counter const_passes
// expect: met correct
// expect: met counter const_per_load
// The taps are where they belong, but the gains went along: each lane reads another one.
const int MOST = 64;
__constant__ float tap[MOST], gains[4096];

__global__ void filter(const float *in, float *out, int rows, int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (c + k < cols) sum += tap[k] * in[r * cols + c + k];
    out[r * cols + c] = gains[c] * sum;
}

void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(gains, gain, cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, out, rows, cols, m);
}
