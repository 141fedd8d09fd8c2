// kind: unsafe
// expect: fail
// expect: finding race
// Keeps the tile, reads it backwards, and takes the barriers out: so warps read elements of other warps without waiting.
const int BLOCK = 256;

__global__ void update(const float *x, float *y, int n) {
    __shared__ float tile[BLOCK];
    int base = blockIdx.x * BLOCK, count = min(BLOCK, n - base), t = threadIdx.x;
    if (t < count) tile[t] = x[base + t];
    if (t < count) y[base + count - 1 - t] = 2 * tile[count - 1 - t] + 1;
}

void tiling_trap(const float *x, float *y, int n) { update<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n); }
