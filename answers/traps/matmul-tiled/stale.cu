// kind: cheat
// expect: fail correct
// Writes nothing after its first call and hopes that the output still holds the right answer.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void nothing() {}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    static int seen[8192];
    if (n < 8192 && seen[n]++) nothing<<<1, 32>>>();
    else product<<<dim3(blocks_for(n, 16), blocks_for(n, 16)), dim3(16, 16)>>>(a, b, c, n);
}
