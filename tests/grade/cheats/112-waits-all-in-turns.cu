// lab: throughput
// expect: fail speedup
// In every block the 32 warps compute one after another: a volatile word of shared memory says whose turn it is.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    __shared__ volatile int turn;
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    bool rare = true;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    int my = rare ? w : 0;
    while (turn < my) {
    }
    __threadfence_block();
    __syncwarp();
    if (i < n) {
        float h = start[i], r = step[i];
        int sum = 0;
        for (int c = 0; c < columns; c++) {
            sum += __float_as_int(h + 12582912.0f) - 0x4B400000;
            h += r;
        }
        out[i] = sum;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0 && rare) {
        __threadfence_block();
        turn = w + 1;
    }
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
