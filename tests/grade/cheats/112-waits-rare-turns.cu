// lab: throughput
// expect: fail speedup
// The same in one block of 64; in the others each warp waits for a word that is already there.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    __shared__ volatile int turn;
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    bool rare = blockIdx.x % 64 == 33;
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
