// lab: vector-add
// expect: fail correct
// Returns at once; a thread does the work later, after the clock has stopped.
#include <chrono>
#include <thread>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    std::thread([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    }).detach();
}
