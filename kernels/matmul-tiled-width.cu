// Tiles of any width up to 32: matmul-tiled measures which share of the moved bytes each width uses.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n, int width) {
    __shared__ float at[32][32], bt[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * width + ty;
    int col = blockIdx.x * width + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += width) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < width; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void matmul_width(const float *a, const float *b, float *c, int n, int width) {
    dim3 block(width, width);
    product<<<dim3(blocks_for(n, width), blocks_for(n, width)), block>>>(a, b, c, n, width);
}
