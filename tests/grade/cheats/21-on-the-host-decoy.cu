// lab: vector-add
// expect: fail correct
// The same, with a kernel that pretends to work.
#include <cuda_runtime.h>
#include <vector>
__global__ void decoy(const float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    std::vector<float> x(n), y(n);
    cudaMemcpy(x.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) x[i] += y[i];
    decoy<<<(n + 63) / 64, 64>>>(a, c, n);
    cudaMemcpy(c, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
