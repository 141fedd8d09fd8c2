// streams: four threads of the host, each with streams of its own
#include <thread>
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int THREADS = 4, CHUNKS = 8;

void streams(const float *in, float *x, float *out, int n, int rounds) {
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    std::thread threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        threads[t] = std::thread([=] {
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            for (int c = t; c < CHUNKS; c += THREADS) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, stream);
                filter<<<(m + 255) / 256, 256, 0, stream>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, stream);
            }
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        });
    for (std::thread &t : threads) t.join();
}
