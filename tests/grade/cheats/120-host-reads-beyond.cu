// lab: memory-api
// expect: fail correct
// The host always copies whole thousands of elements: it reads beyond the end of `in`.
#include <cstring>
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    int room = (n + 999) / 1000 * 1000;
    float *v;
    cudaMalloc(&v, room * sizeof(float));
    cudaMemcpy(v, in, room * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
