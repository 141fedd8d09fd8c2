// lab: memory-api
// expect: pass
// Two threads of the host: one copies and waits for its stream, then tells the other, which launches.
#include <condition_variable>
#include <mutex>
#include <thread>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    std::mutex lock;
    std::condition_variable told;
    bool there = false;
    cudaMalloc(&v, n * sizeof(float));
    std::thread a([&] {
        cudaMemcpyAsync(v, in, n * sizeof(float), cudaMemcpyHostToDevice, cudaStreamPerThread);
        cudaStreamSynchronize(cudaStreamPerThread);
        std::lock_guard<std::mutex> held(lock);
        there = true;
        told.notify_one();
    });
    std::thread b([&] {
        {
            std::unique_lock<std::mutex> held(lock);
            told.wait(held, [&] { return there; });
        }
        add_one<<<(n + 255) / 256, 256, 0, cudaStreamPerThread>>>(v, n);
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    a.join();
    b.join();
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
