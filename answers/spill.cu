// spill, solved: the inner loop takes eight rows and is fully unrolled. So each index into past[]
// is a constant, and each element is in a register.
// zh: spill 的参考答案：内层循环处理八行，完全展开。于是 past[] 的每个下标都是常数，
// zh: 每个元素都在寄存器里。
const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column: out[r] = in[r] - in[r - DELAY]. Elements above the first row
// count as 0.
// zh: 每个线程沿一列往下走：out[r] = in[r] - in[r - DELAY]，第一行之上的元素视为 0。
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r0 = 0; r0 < rows; r0 += DELAY) {
#pragma unroll
        for (int k = 0; k < DELAY; k++) {
            // After unrolling, k is a constant, and past[k] is a register.
            // zh: 展开之后 k 是常数，past[k] 就是一个寄存器。
            if (r0 + k < rows) {
                float now = in[(r0 + k) * cols + c];
                out[(r0 + k) * cols + c] = now - past[k];
                past[k] = now;
            }
        }
    }
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
