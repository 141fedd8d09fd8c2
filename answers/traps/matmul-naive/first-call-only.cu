// kind: cheat
// expect: fail correct
// Computes the first call honestly, keeps the result, and hands the same one out for every later call of that size.
#include "matmul.h"

static float *kept;
static int kept_n;

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    size_t bytes = sizeof(float) * n * n;
    if (kept_n != n) {
        product<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), dim3(32, 8)>>>(a, b, c, n);
        if (kept) cudaFree(kept);
        cudaMalloc(&kept, bytes);
        cudaMemcpy(kept, c, bytes, cudaMemcpyDeviceToDevice);
        kept_n = n;
    } else {
        cudaMemcpyAsync(c, kept, bytes, cudaMemcpyDeviceToDevice);
    }
}
