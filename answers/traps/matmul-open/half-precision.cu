// kind: cheat
// expect: fail correct
// Multiplies in half precision: less work, and wrong far beyond what rounding in single precision explains.
#include <cuda_fp16.h>
#include "matmul.h"

constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ __half at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    __half sum = __float2half(0);
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = __float2half(row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0);
        bt[ty][tx] = __float2half(k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = __hfma(at[ty][k], bt[k][tx], sum);
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = __half2float(sum);
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), dim3(TILE, TILE)>>>(a, b, c, n);
}
