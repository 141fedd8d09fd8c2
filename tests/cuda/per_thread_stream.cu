// Compiled with a default stream per thread.
// flags: --default-stream per-thread
// expect: 4 threads ok
// expect: legacy and per-thread streams differ: 1
#include "common.h"
#include <thread>
#include <atomic>
__global__ void set(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
static std::atomic<int> bad;
int main() {
    std::thread t[4];
    for (int i = 0; i < 4; i++)
        t[i] = std::thread([i] {
            int *d, h[64];
            CK(cudaMalloc(&d, sizeof h));
            for (int r = 0; r < 10; r++) {
                set<<<1, 64>>>(d, i * 100);
                CK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost));
                CK(cudaStreamSynchronize(0));
                for (int j = 0; j < 64; j++) bad += h[j] != i * 100 + j;
            }
        });
    for (auto &x : t) x.join();
    printf("4 threads %s\n", bad ? "wrong" : "ok");
    unsigned long long a, b;
    CK(cudaStreamGetId(cudaStreamLegacy, &a)), CK(cudaStreamGetId(cudaStreamPerThread, &b));
    printf("legacy and per-thread streams differ: %d\n", a != b);
}
