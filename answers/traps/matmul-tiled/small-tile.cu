// kind: slow
// expect: fail counter device_loads
// expect: met correct
// A 4 x 4 tile: shared memory is used, but each element is still fetched n / 4 times.
#include "matmul.h"

constexpr int TILE = 4;

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        // Every thread brings one element of each piece; past the edge it brings a zero, which adds nothing.
        at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
        bt[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads(); // the pieces are complete before anyone reads them
        for (int k = 0; k < TILE; k++) sum += at[ty][k] * bt[k][tx];
        __syncthreads(); // everyone has read them before anyone overwrites them
    }
    if (row < n && col < n) c[row * n + col] = sum; // once, after the last phase
}

void matmul_tiled(const float *a, const float *b, float *c, int n) {
    dim3 block(TILE, TILE);
    product<<<dim3(blocks_for(n, TILE), blocks_for(n, TILE)), block>>>(a, b, c, n);
}
