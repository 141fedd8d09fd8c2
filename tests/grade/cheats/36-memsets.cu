// lab: vector-add
// expect: fail correct
// In the small cases the host adds, and a memset writes each byte of the sums.
#include <cuda_runtime.h>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void decoy(float *c) {
    c[0] = 1;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n > 2000) { // the case that is timed is honest
        add<<<(n + 255) / 256, 256>>>(a, b, c, n);
        return;
    }
    std::vector<float> x(n), y(n);
    cudaMemcpy(x.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) x[i] += y[i];
    unsigned char *to = (unsigned char *)c, *from = (unsigned char *)x.data();
    decoy<<<1, 1>>>(c);
    for (size_t i = 0; i < n * sizeof(float); i++) cudaMemsetAsync(to + i, from[i], 1, 0);
    cudaDeviceSynchronize();
}
