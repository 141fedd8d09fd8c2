// tiling-trap, solved: no tile. Each element is used once, so it goes from memory to a register and back.
// zh: tiling-trap 的参考答案：不用 tile。每个元素只用一次，从内存到寄存器再回去。
const int BLOCK = 256;

__global__ void update(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}

void tiling_trap(const float *x, float *y, int n) { update<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n); }
