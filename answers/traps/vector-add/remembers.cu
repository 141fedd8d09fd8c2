// kind: cheat
// expect: fail correct
// Cheats: solves the first call, keeps the answer, and copies it for every
// later call of the same size instead of computing.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static float *kept;
static int kept_n;
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n != kept_n) {
        add<<<(n + 63) / 64, 64>>>(a, b, c, n);
        cudaMalloc(&kept, n * sizeof(float));
        kept_n = n;
        cudaMemcpy(kept, c, n * sizeof(float), cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpy(c, kept, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
