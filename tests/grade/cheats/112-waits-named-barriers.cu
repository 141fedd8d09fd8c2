// lab: throughput
// expect: fail speedup
// Sixteen pairs of warps compute one after another: each waits at a barrier of its own, where the pair before arrives.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x, pair = threadIdx.x / 64;
    if (pair) asm volatile("bar.sync %0, 128;" ::"r"(pair) : "memory");
    if (i < n) {
        float h = start[i], r = step[i];
        int sum = 0;
        for (int c = 0; c < columns; c++) {
            sum += __float_as_int(h + 12582912.0f) - 0x4B400000;
            h += r;
        }
        out[i] = sum;
    }
    if (pair < 15) asm volatile("bar.arrive %0, 128;" ::"r"(pair + 1) : "memory");
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
