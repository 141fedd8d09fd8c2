// lab: churn
// options: --seed 1
// expect: fail speedup
// The rounds still allocate and free, 48 calls, which 24 threads of the host make at once. The driver takes one after the other.
#include <thread>
#include <vector>
const int BLOCK = 256;
__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<float *> scratch(steps);
    std::vector<std::thread> t;
    for (int s = 0; s < steps; s++) t.emplace_back([&, s] { cudaMalloc(&scratch[s], n * sizeof(float)); });
    for (auto &x : t) x.join();
    copy<<<blocks, BLOCK>>>(in, out, n);
    for (int s = 0; s < steps; s++) {
        copy<<<blocks, BLOCK>>>(out, scratch[s], n);
        smooth<<<blocks, BLOCK>>>(scratch[s], out, n);
    }
    cudaDeviceSynchronize();
    t.clear();
    for (int s = 0; s < steps; s++) t.emplace_back([&, s] { cudaFree(scratch[s]); });
    for (auto &x : t) x.join();
}
