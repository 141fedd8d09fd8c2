// kind: slow
// expect: fail counter all_load_bytes
// expect: met correct
// No local memory, but each element is read twice from global memory instead.
const int BLOCK = 128, DELAY = 8;

// Each thread walks down one column: out[r] = in[r] - in[r - DELAY]. Elements above the first row count as 0.
__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r = 0; r < rows; r++) {
        const volatile float *v = in;
        out[r * cols + c] = v[r * cols + c] - (r < DELAY ? past[0] : v[(r - DELAY) * cols + c]);
    }
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
