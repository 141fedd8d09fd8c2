// lab: spill
// expect: fail counter
// The ring lies in the frames of a recursion, a row each: local memory that has no instruction in the PTX.
const int BLOCK = 128, DELAY = 8;

__device__ __noinline__ float row(const float *in, float *out, int r, int rows, int cols, int c) {
    float now = in[r * cols + c];
    float past = r >= DELAY ? row(in, out, r - DELAY, rows, cols, c) : 0;
    out[r * cols + c] = now - past;
    return now;
}

__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    for (int r = rows - 1; r >= rows - DELAY && r >= 0; r--) row(in, out, r, rows, cols, c);
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
