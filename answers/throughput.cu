const int BLOCK = 256;

__global__ void ticks(const float *start, const float *step, int *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = start[i], d = step[i];
    const float magic = 12582912.0f; // 1.5 * 2^23
    int sum = 0;
    for (int k = 0; k < steps; k++) {
        sum += __float_as_int(v + magic) - 0x4B400000;
        v += d;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int steps, int n) {
    ticks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, steps, n);
}
