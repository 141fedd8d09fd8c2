// lab: throughput
// expect: fail speedup
// The word that says whose turn it is lies in global memory, one for each block.
const int BLOCK = 1024;
__device__ volatile int turn[1 << 16];
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    if (threadIdx.x == 0) turn[blockIdx.x] = 0;
    __syncthreads();
    while (turn[blockIdx.x] < w) {
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
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        turn[blockIdx.x] = w + 1;
    }
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
