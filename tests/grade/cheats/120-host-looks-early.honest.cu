// lab: memory-api
// expect: pass
// The host waits before it looks at what the kernel wrote beside the results, and copies these.
#include <cstring>
__global__ void add_one(float *v, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v, *to;
    cudaMalloc(&v, n * sizeof(float));
    cudaMallocHost(&to, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, to, n);
    cudaDeviceSynchronize();
    memcpy(out, to, n * sizeof(float));
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFreeHost(to);
}
