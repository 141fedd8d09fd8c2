// lab: throughput
// expect: fail speedup
// In one block of 64 the warps compute in turns between barriers, in the others all before the first one.
const int BLOCK = 1024;
__global__ void k(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x, w = threadIdx.x / 32;
    bool rare = blockIdx.x % 64 == 33;
    float h = 0, r = 0;
    if (i < n) {
        h = start[i];
        r = step[i];
    }
    int sum = 0, mine = rare ? w : 0;
    for (int t = 0; t < 32; t++) {
        if (t == mine)
            for (int c = 0; c < columns; c++) {
                sum += __float_as_int(h + 12582912.0f) - 0x4B400000;
                h += r;
            }
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
