// The baseline of throughput: every step rounds a number to an int with a conversion.
const int BLOCK = 256;

__global__ void ticks(const float *start, const float *step, int *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = start[i], d = step[i];
    int sum = 0;
    for (int k = 0; k < steps; k++) {
        sum += __float2int_rn(v);
        v += d;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int steps, int n) {
    ticks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, steps, n);
}
