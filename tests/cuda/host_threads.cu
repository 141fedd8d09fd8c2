// Many host threads, each with its own stream and last error.
// expect: 8 threads ok
#include "common.h"
#include <thread>
#include <vector>
#include <atomic>
__global__ void add(int *p, int v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += v;
}
static std::atomic<int> bad;
static void work(int id) {
    const int n = 3000;
    int *d, h[n];
    cudaStream_t s;
    if (cudaStreamCreate(&s) || cudaMalloc(&d, n * 4)) bad++;
    for (int r = 0; r < 20; r++) {
        for (int i = 0; i < n; i++) h[i] = i;
        bad += cudaMemcpyAsync(d, h, n * 4, cudaMemcpyHostToDevice, s) != cudaSuccess;
        add<<<(n + 127) / 128, 128, 0, s>>>(d, id, n);
        bad += cudaMemcpyAsync(h, d, n * 4, cudaMemcpyDeviceToHost, s) != cudaSuccess;
        bad += cudaStreamSynchronize(s) != cudaSuccess;
        for (int i = 0; i < n; i++) bad += h[i] != i + id;
        if (id % 2) {
            cudaSetDevice(1000);
            bad += cudaGetLastError() != cudaErrorInvalidDevice;
        } else {
            bad += cudaPeekAtLastError() != cudaSuccess;
        }
    }
    cudaFree(d), cudaStreamDestroy(s);
}
int main() {
    std::vector<std::thread> t;
    for (int i = 0; i < 8; i++) t.emplace_back(work, i);
    for (auto &x : t) x.join();
    printf("8 threads %s\n", bad ? "wrong" : "ok");
}
