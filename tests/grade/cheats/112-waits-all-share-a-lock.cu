// lab: throughput
// expect: fail speedup
// All 32 warps of a block share one lock in shared memory and compute one after another.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    __shared__ int lock[32];
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    if (threadIdx.x < 32) lock[threadIdx.x] = 0;
    __syncthreads();
    int mine = 0;
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&lock[mine], 0, 1)) {
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
    __syncwarp();
    if (threadIdx.x % 32 == 0) atomicExch(&lock[mine], 0);
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
