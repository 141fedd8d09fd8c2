// kind: slow
// expect: fail counter spill_bytes
// expect: met correct
// expect: met counter local_ld_requests
// The ring is in registers, but the kernel may have only 24. So other values go to local memory, and only the assembler reports this.
const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column: out[r] = in[r] - in[r - DELAY]. Elements above the first row count as 0.
// zh: 每个线程沿一列往下走：out[r] = in[r] - in[r - DELAY]，第一行之前视为 0。
__global__ void __maxnreg__(24) difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r0 = 0; r0 < rows; r0 += DELAY) {
#pragma unroll
        for (int k = 0; k < DELAY; k++) { // past[k] with a constant k is a register
        // zh: k 是常数时，past[k] 就是寄存器
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
