// lab: spill
// expect: pass
// A function that is called, not inlined, and keeps nothing: no register of its callers is saved.
const int BLOCK = 128, DELAY = 8;

__device__ __noinline__ float less(float now, float past) {
    return now - past;
}

__global__ void difference(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) return;
    float past[DELAY] = {};
    for (int r0 = 0; r0 < rows; r0 += DELAY) {
#pragma unroll
        for (int k = 0; k < DELAY; k++) {
            if (r0 + k < rows) {
                float now = in[(r0 + k) * cols + c];
                out[(r0 + k) * cols + c] = less(now, past[k]);
                past[k] = now;
            }
        }
    }
}

void spill(const float *in, float *out, int rows, int cols) {
    difference<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
