// lab: memory-api
// expect: pass
// The same, and the host waits first.
#include <cstring>
__global__ void add_one(const float *v, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = v[i] + 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v, *to;
    cudaMalloc(&v, n * sizeof(float));
    cudaMallocHost(&to, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, to, n);
    cudaDeviceSynchronize();
    memcpy(out, to, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaFree(v);
    cudaFreeHost(to);
}
