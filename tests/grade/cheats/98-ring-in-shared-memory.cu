// lab: spill
// expect: fail counter
// expect: says all_load_bytes is
// The ring has the same variable index, and lies in shared memory in place of local memory.
const int BLOCK = 128, DELAY = 8;
__global__ void difference(const float *in, float *out, int rows, int cols) {
    __shared__ float past[DELAY][BLOCK];
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    for (int k = 0; k < DELAY; k++) past[k][threadIdx.x] = 0;
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        float now = in[r * cols + c];
        out[r * cols + c] = now - past[r % DELAY][threadIdx.x];
        past[r % DELAY][threadIdx.x] = now;
    }
}
void spill(const float *in, float *out, int rows, int cols) { difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols); }
