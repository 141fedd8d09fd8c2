// lab: streams
// expect: fail counter
// expect: says overlap_pct is 0%
// Many small kernels overlap one another; the copies wait for all of them.
__global__ void filter(float *x, int n, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
        x[i] = v;
    }
}
const int CHUNKS = 16;
void streams(const float *in, float *x, float *out, int n, int rounds) {
    cudaStream_t stream[CHUNKS];
    for (cudaStream_t &s : stream) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemcpy(x, in, sizeof(float) * n, cudaMemcpyHostToDevice);
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m > 0) filter<<<8, 256, 0, stream[c]>>>(x + at, m, rounds);
    }
    for (cudaStream_t &s : stream) {
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    }
    cudaMemcpy(out, x, sizeof(float) * n, cudaMemcpyDeviceToHost);
}
