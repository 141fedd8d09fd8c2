// kind: slow
// expect: fail counter local_ld_requests
// expect: met correct
// The right loops, but not unrolled: the index is still a variable.
const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column: out[r] = in[r] - in[r - DELAY]. Elements above the first row count as 0.
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r0 = 0; r0 < rows; r0 += DELAY) {
#pragma unroll 1
        for (int k = 0; k < DELAY; k++) { // past[k] with a constant k is a register
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
