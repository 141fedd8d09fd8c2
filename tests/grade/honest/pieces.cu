// memory-api: the work in pieces, allocated from the pool of a stream
#include <vector>

__global__ void add_one(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

void memory_api(const float *in, float *out, int n) {
    std::vector<float> copy(in, in + n);
    float *v;
    cudaMalloc(&v, 2 * n * sizeof(float));
    cudaMemcpy(v, copy.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int from = 0; from < n; from += 1024) {
        int count = n - from < 1024 ? n - from : 1024;
        add_one<<<(count + 127) / 128, 128>>>(v + from, v + n + from, count);
    }
    cudaMemcpy(out, v + n, n * sizeof(float), cudaMemcpyDefault);
    cudaFree(v);
}
