// lab: memory-api
// expect: fail correct
// Two threads of the host: one copies and waits for its stream, the other launches. The launch comes later because that thread has more to do before: nothing orders the two.
#include <thread>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    std::thread a([=] {
        cudaMemcpyAsync(v, in, n * sizeof(float), cudaMemcpyHostToDevice, cudaStreamPerThread);
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    std::thread b([=] { cudaStream_t q; cudaStreamCreate(&q); cudaStreamDestroy(q); float *w; cudaMalloc(&w, 4); cudaFree(w); add_one<<<(n + 255) / 256, 256, 0, cudaStreamPerThread>>>(v, n); });
    a.join();
    b.join();
    cudaDeviceSynchronize();
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
