// kind: unsafe
// expect: fail
// expect: finding race
// Each chunk's way back goes into the next chunk's stream, which waits for nothing that this chunk does.
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
        cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost,
                        stream[(c + 1) % CHUNKS]);
    }
    for (cudaStream_t &s : stream) {
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    }
}
