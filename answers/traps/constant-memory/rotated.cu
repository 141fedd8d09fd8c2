// kind: slow
// expect: fail counter const_passes
// expect: met correct
// Each lane begins its walk over the taps at another one, as one would in shared memory: up to m different words at every turn.
const int MOST = 64;
__constant__ float tap[MOST];

__global__ void filter(const float *in, const float *gain, float *out, int rows, int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols) return;
    float sum = 0;
    for (int j = 0, k = c % m; j < m; j++, k = k + 1 < m ? k + 1 : 0)
        if (c + k < cols) sum += tap[k] * in[r * cols + c + k];
    out[r * cols + c] = gain[c] * sum;
}

void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, gain, out, rows, cols, m);
}
