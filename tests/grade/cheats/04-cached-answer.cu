// lab: vector-add
// expect: fail correct
// Computes the first call of a size and copies that answer for every later one.
#include <cuda_runtime.h>
#include <map>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static std::map<int, float *> kept;
    float *&k = kept[n];
    if (!k) {
        add<<<(n + 63) / 64, 64>>>(a, b, c, n);
        cudaMalloc(&k, n * sizeof(float));
        cudaMemcpy(k, c, n * sizeof(float), cudaMemcpyDeviceToDevice);
    } else
        cudaMemcpy(c, k, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
