// lab: memory-api
// expect: pass
// A kernel computes in place in mapped memory, which the host filled and reads
// to check the results that it copies.
#include <cstring>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *d;
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(out, d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaHostAlloc(&v, bytes, cudaHostAllocMapped);
    memcpy(v, in, bytes);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaDeviceSynchronize();
    if (memcmp(out, v, bytes)) out[0] = -1;
    cudaFreeHost(v);
}
