// lab: streams
// expect: pass
// One stream brings the chunks, one computes, one takes the results back; events order them.
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}
const int CHUNKS = 8;
void streams(const float *in, float *x, float *out, int n, int rounds) {
    cudaStream_t s[3];
    cudaEvent_t here[CHUNKS], done[CHUNKS];
    for (cudaStream_t &t : s) cudaStreamCreate(&t);
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        cudaEventCreateWithFlags(&here[c], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done[c], cudaEventDisableTiming);
        if (m <= 0) continue;
        cudaMemcpyAsync(x + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, s[0]);
        cudaEventRecord(here[c], s[0]);
        cudaStreamWaitEvent(s[1], here[c]);
        filter<<<(m + 255) / 256, 256, 0, s[1]>>>(x + at, m, rounds);
        cudaEventRecord(done[c], s[1]);
        cudaStreamWaitEvent(s[2], done[c]);
        cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, s[2]);
    }
    cudaStreamSynchronize(s[2]);
    for (cudaStream_t &t : s) cudaStreamDestroy(t);
    for (int c = 0; c < CHUNKS; c++) cudaEventDestroy(here[c]), cudaEventDestroy(done[c]);
}
