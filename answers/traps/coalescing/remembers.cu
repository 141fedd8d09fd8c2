// kind: cheat
// expect: fail correct
// Cheats: computes once for each size and later copies the kept answer,
// whatever the inputs are.
#include <cuda_runtime.h>
__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int i = thread; i < n; i += threads) y[i] = a * x[i];
}
static float *kept;
static int kept_n;
void scale(const float *x, float *y, float a, int n) {
    if (n != kept_n) {
        scale_kernel<<<(n + 4095) / 4096, 256>>>(x, y, a, n);
        cudaMalloc(&kept, n * sizeof(float));
        kept_n = n;
        cudaMemcpy(kept, y, n * sizeof(float), cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpy(y, kept, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
