// lab: streams
// expect: pass
// The same, behind events: the kernel in its neighbour's stream waits for the copy in, the copy out for the kernel.
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
    cudaEvent_t come[CHUNKS], done[CHUNKS];
    for (int c = 0; c < CHUNKS; c++) {
        cudaStreamCreateWithFlags(&stream[c], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&come[c], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done[c], cudaEventDisableTiming);
    }
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m <= 0) break;
        cudaStream_t other = stream[(c + 1) % CHUNKS];
        cudaMemcpyAsync(x + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, stream[c]);
        cudaEventRecord(come[c], stream[c]);
        cudaStreamWaitEvent(other, come[c], 0);
        filter<<<(m + 255) / 256, 256, 0, other>>>(x + at, m, rounds);
        cudaEventRecord(done[c], other);
        cudaStreamWaitEvent(stream[c], done[c], 0);
        cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, stream[c]);
    }
    cudaDeviceSynchronize();
    for (int c = 0; c < CHUNKS; c++) cudaStreamDestroy(stream[c]), cudaEventDestroy(come[c]), cudaEventDestroy(done[c]);
}
