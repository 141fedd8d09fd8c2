// spill: out[r][c] = in[r][c] - in[r - 8][c], and in[r][c] for the first
// eight rows.
//
// The ring of eight values looks like registers. It is not: `show sectors`
// finds it in memory.
// zh: out[r][c] = in[r][c] - in[r - 8][c]，前八行等于 in[r][c]。
// zh:
// zh: 每个线程那个八元素的环形缓冲区看起来像寄存器，
// zh: 其实不是：`show sectors` 会发现它在内存里。

const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column; what lies before the first row
// counts as 0.
// zh: 每个线程沿一列往下走；第一行之前视为 0。
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        // TODO: registers have no index. Let every index into past[] be known
        // at compile time.
        // zh: TODO：寄存器没有下标。让 past[] 的每个下标都在编译时就确定。
        float now = in[r * cols + c];
        out[r * cols + c] = now - past[r % DELAY];
        past[r % DELAY] = now;
    }
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
