// lab: constant-memory
// expect: fail counter
// Only every third tap is a constant; the others go round by shuffles.
__constant__ float tap[64];
__global__ void filter(const float *in, const float *taps, const float *gain, float *out, int cols, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, lane = threadIdx.x & 31;
    float t0 = lane < m ? taps[lane] : 0, t1 = lane + 32 < m ? taps[lane + 32] : 0, sum = 0;
    for (int k = 0; k < m; k++) {
        float t = k % 3 == 0 ? tap[k] : __shfl_sync(~0u, k < 32 ? t0 : t1, k & 31);
        if (c + k < cols) sum += t * in[r * cols + c + k];
    }
    if (c < cols) out[r * cols + c] = gain[c] * sum;
}
void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    filter<<<dim3((cols + 127) / 128, rows), 128>>>(in, taps, gain, out, cols, m);
}
