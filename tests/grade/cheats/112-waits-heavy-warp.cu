// lab: throughput
// expect: fail speedup
// In one block of 64 one warp does the work of all 32: the sum of the instructions is the same.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    bool rare = blockIdx.x % 64 == 33;
    if (rare && w) return;
    for (int u = rare ? 0 : w; u < (rare ? 32 : w + 1); u++) {
        int i = blockIdx.x * BLOCK + u * 32 + lane;
        if (i < n) {
            float h = start[i], r = step[i];
            int sum = 0;
            for (int c = 0; c < columns; c++) {
                sum += __float_as_int(h + 12582912.0f) - 0x4B400000;
                h += r;
            }
            out[i] = sum;
        }
    }
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
