// spill: out[r][c] = in[r][c] - in[r - 8][c]. In the first eight rows,
// out[r][c] = in[r][c].
//
// Each thread keeps the last eight values in an array. This array looks as if
// it were in registers, but `show sectors` finds it in memory.
// zh: out[r][c] = in[r][c] - in[r - 8][c]，前八行等于 in[r][c]。
// zh:
// zh: 每个线程把最近的八个值存放在一个数组里。这个数组看起来像在寄存器里，
// zh: 但 `show sectors` 会发现它在内存里。

const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column. Elements
// above the first row count as 0.
// zh: 每个线程沿一列往下走；第一行之上的元素视为 0。
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        // TODO: registers have no index. Change the loop so that the
        // compiler knows every index into past[].
        // zh: TODO：寄存器没有下标。要让编译器知道 past[] 的每个下标。
        float now = in[r * cols + c];
        out[r * cols + c] = now - past[r % DELAY];
        past[r % DELAY] = now;
    }
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
