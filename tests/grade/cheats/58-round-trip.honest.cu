// lab: memory-api
// expect: pass
// Results come back through page-locked memory.
#include <cstring>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *p;
    cudaMalloc(&v, bytes);
    cudaMallocHost(&p, bytes);
    memcpy(p, in, bytes);
    cudaMemcpy(v, p, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpyAsync(p, v, bytes, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    memcpy(out, p, bytes);
    cudaFree(v);
    cudaFreeHost(p);
}
