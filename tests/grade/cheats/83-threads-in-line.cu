// lab: streams
// expect: fail counter
// Each thread of the host waits for a flag, by which the one before it says that its copies are over: nothing overlaps, though each thread
// has a stream of its own and began early.
#include <atomic>
#include <chrono>
#include <thread>
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int CHUNKS = 8;

void streams(const float *in, float *x, float *out, int n, int rounds) {
    int chunk = (n + CHUNKS - 1) / CHUNKS;
    std::thread threads[CHUNKS];
    std::atomic<int> turn{0};
    for (int c = 0; c < CHUNKS; c++)
        threads[c] = std::thread([=, &turn] {
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            while (turn.load() != c) std::this_thread::sleep_for(std::chrono::microseconds(50));
            int at = c * chunk, m = n - at < chunk ? n - at : chunk;
            if (m > 0) {
                cudaMemcpyAsync(x + at, in + at, sizeof(float) * m, cudaMemcpyHostToDevice, stream);
                filter<<<(m + 255) / 256, 256, 0, stream>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, sizeof(float) * m, cudaMemcpyDeviceToHost, stream);
            }
            cudaStreamSynchronize(stream);
            turn.store(c + 1);
            cudaStreamDestroy(stream);
        });
    for (std::thread &t : threads) t.join();
}
