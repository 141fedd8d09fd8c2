// streams: threads of the host take chunks from a queue, under a mutex and a condition variable
#include <condition_variable>
#include <mutex>
#include <thread>
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int THREADS = 3, CHUNKS = 8;

void streams(const float *in, float *x, float *out, int n, int rounds) {
    int chunk = (n + CHUNKS - 1) / CHUNKS, given = 0, taken = 0;
    std::mutex m;
    std::condition_variable more;
    std::thread threads[THREADS];
    for (std::thread &t : threads)
        t = std::thread([&] {
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            for (;;) {
                std::unique_lock<std::mutex> lock(m);
                more.wait(lock, [&] { return taken < given || taken == CHUNKS; });
                if (taken == CHUNKS) break;
                int at = taken++ * chunk, k = n - at < chunk ? n - at : chunk;
                lock.unlock();
                if (k <= 0) continue;
                cudaMemcpyAsync(x + at, in + at, sizeof(float) * k, cudaMemcpyHostToDevice, stream);
                filter<<<(k + 255) / 256, 256, 0, stream>>>(x + at, k, rounds);
                cudaMemcpyAsync(out + at, x + at, sizeof(float) * k, cudaMemcpyDeviceToHost, stream);
            }
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
            more.notify_all();
        });
    for (int c = 0; c < CHUNKS; c++) {
        std::lock_guard<std::mutex> lock(m);
        given++;
        more.notify_one();
    }
    for (std::thread &t : threads) t.join();
}
