// lab: memory-api
// expect: fail counter
// expect: says copied_bytes is 0
// Nothing is copied: managed memory moves by itself.
#include <cstring>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMallocManaged(&v, n * sizeof(float));
    memcpy(v, in, n * sizeof(float));
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaDeviceSynchronize();
    memcpy(out, v, n * sizeof(float));
    cudaFree(v);
}
