// lab: throughput
// expect: pass
// The warps of a block count themselves in shared memory and wait until all have come, before they compute side by side.
const int BLOCK = 256;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    __shared__ int come;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0) come = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&come, 1);
        while (*(volatile int *)&come < BLOCK / 32) {
        }
    }
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
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
