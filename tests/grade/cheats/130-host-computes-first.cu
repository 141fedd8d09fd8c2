// lab: memory-api
// expect: fail counter
// expect: says host_words is
// The host computes (in + 1) / 2, and the device only doubles it.
#include <vector>
__global__ void twice(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * 2.0f;
}
void memory_api(const float *in, float *out, int n) {
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (in[i] + 1.0f) * 0.5f;
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
