// lab: streams
// expect: pass
// The kernels read what arrives with volatile loads, each behind an event of its copy.
const int CHUNKS = 8;

__global__ void filter(const volatile float *from, float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = from[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

void streams(const float *in, float *x, float *out, int n, int rounds) {
    static float *arriving;
    static int room;
    if (room < n) {
        cudaFree(arriving);
        cudaMalloc(&arriving, sizeof(float) * (n < 1 << 21 ? 1 << 21 : n));
        room = n < 1 << 21 ? 1 << 21 : n;
    }
    cudaStream_t to, work, from;
    cudaEvent_t arrived, done;
    cudaStreamCreateWithFlags(&to, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&from, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    for (int c = 0; c < CHUNKS; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk;
        if (m <= 0) break;
        cudaMemcpyAsync(arriving + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, to);
        cudaEventRecord(arrived, to);
        cudaStreamWaitEvent(work, arrived);
        filter<<<(m + 255) / 256, 256, 0, work>>>(arriving + at, x + at, m, rounds);
        cudaEventRecord(done, work);
        cudaStreamWaitEvent(from, done);
        cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, from);
    }
    cudaStreamSynchronize(to);
    cudaStreamSynchronize(work);
    cudaStreamSynchronize(from);
    cudaStreamDestroy(to);
    cudaStreamDestroy(work);
    cudaStreamDestroy(from);
    cudaEventDestroy(arrived);
    cudaEventDestroy(done);
}
