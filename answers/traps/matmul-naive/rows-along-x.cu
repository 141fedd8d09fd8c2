// kind: slow
// expect: fail counter global_load_sectors
// expect: met correct
// Any n, but threadIdx.x still runs down the rows: half the task.
#include "matmul.h"

__global__ void product(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void matmul_naive(const float *a, const float *b, float *c, int n) {
    dim3 block(32, 8);
    product<<<dim3(blocks_for(n, 32), blocks_for(n, 8)), block>>>(a, b, c, n);
}
