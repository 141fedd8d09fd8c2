// Matrix product, as fast as you can.
//
// TODO: this tiled version reads two numbers from shared memory for every multiply-add. Let each thread keep a small block of outputs in
//       registers (4 x 4, say), load tiles with float4, and fetch the next tiles while you multiply the present ones.
//
// 矩阵乘法，越快越好。TODO：这个分块版本每做一次乘加要读两次共享内存。让每个线程在寄存器里保存一小块输出（例如 4 x 4），用 float4 装入小块，
//       并在计算当前小块时预取下一个小块。
#include "matmul.h"

constexpr int TILE = 32;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
