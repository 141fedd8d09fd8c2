// memory-api: page-locked staging buffers and asynchronous copies
#include <cstring>

__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *stage, *v;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&stage, bytes);
    cudaMalloc(&v, bytes);
    memcpy(stage, in, bytes);
    cudaMemcpyAsync(v, stage, bytes, cudaMemcpyHostToDevice, s);
    add_one<<<(n + 255) / 256, 256, 0, s>>>(v, n);
    cudaMemcpyAsync(stage, v, bytes, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    memcpy(out, stage, bytes);
    cudaFree(v);
    cudaFreeHost(stage);
    cudaStreamDestroy(s);
}
