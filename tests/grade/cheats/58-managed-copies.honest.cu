// lab: memory-api
// expect: pass
// A kernel computes in place in managed memory, which the host filled and reads.
#include <cstring>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMallocManaged(&v, bytes);
    memcpy(v, in, bytes);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaDeviceSynchronize();
    memcpy(out, v, bytes);
    cudaFree(v);
}
