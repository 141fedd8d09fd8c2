// kind: cheat
// expect: fail correct
// Cheats: fills the constants at the first call and keeps them, to save the copy. The next call brings other taps.
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
    static int filled;
    if (filled != m) cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filled = m;
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, gain, out, rows, cols, m);
}
