// streams, solved: each of eight chunks has its own stream, so copies and kernels overlap.
// zh: streams 的参考答案：分成八段，每段用一个流，不同段的拷入、计算、拷出互相重叠。
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int CHUNKS = 8;

void streams(const float *in, float *x, float *out, int n, int rounds) {
    cudaStream_t stream[CHUNKS];
    for (cudaStream_t &s : stream) cudaStreamCreate(&s);

    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m <= 0) break;
        cudaMemcpyAsync(x + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, stream[c]);
        filter<<<(m + 255) / 256, 256, 0, stream[c]>>>(x + at, m, rounds);
        cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, stream[c]);
    }
    for (cudaStream_t &s : stream) {
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    }
}
