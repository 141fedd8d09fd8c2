// tiling-trap, solved: there is no tile. The kernel uses each element only once, so a register is
// enough.
// zh: tiling-trap 的参考答案：不用 tile。每个元素只用一次，放在寄存器里就够了。
const int BLOCK = 256;

__global__ void update(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}

void tiling_trap(const float *x, float *y, int n) { update<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n); }
