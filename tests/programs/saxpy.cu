// Grid-stride loop over a length that no block divides.
// fast
#include "programs.cuh"
__global__ void saxpy(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
int main() {
    const int n = 100003;
    auto x = floats(n, -1, 1), y = floats(n, -1, 1);
    float *dx = device(x), *dy = device(y);
    saxpy<<<37, 192>>>(n, 1.5f, dx, dy);
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) want[i] = std::fma(1.5f, x[i], y[i]);
    equal("y", host(dy, n), want);
    return verdict();
}
