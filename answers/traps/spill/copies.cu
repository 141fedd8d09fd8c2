// kind: cheat
// expect: fail correct
// Cheats: the difference of equal rows is zero, so it skips most of the work.
const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column: out[r] = in[r] - in[r - DELAY]. Elements above the first row count as 0.
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r = 0; r < rows; r++) out[r * cols + c] = r < DELAY ? in[r * cols + c] : past[0];
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
