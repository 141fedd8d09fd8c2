// lab: vector-add
// expect: fail correct
// expect: says computed on the host
// Whole blocks are the device's, the elements behind them the host's: no cheat, but not what is asked for, and told as what it is.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int whole = n / 256 * 256, rest = n - whole;
    float x[256], y[256];
    if (whole) add<<<whole / 256, 256>>>(a, b, c);
    if (!rest) return;
    cudaMemcpy(x, a + whole, rest * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y, b + whole, rest * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < rest; i++) x[i] += y[i];
    cudaMemcpy(c + whole, x, rest * sizeof(float), cudaMemcpyHostToDevice);
}
