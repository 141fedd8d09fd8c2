// The baseline of half2: one number a thread, each step one instruction on one half.

#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    half rate = __float2half(0.9375f), v = x[i], add = y[i];
    for (int k = 0; k < steps; k++) v = __hfma(rate, v, add);
    out[i] = v;
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    decay<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
