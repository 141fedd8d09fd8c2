// kind: slow
// expect: fail counter global_loads
// expect: met correct
// expect: met counter arithmetic
// Half of the technique: packs two halves that were loaded one by one.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i >= n) return;
    int j = 2 * i + 1 < n ? 2 * i + 1 : 2 * i;
    half2 rate = __float2half2_rn(0.9375f);
    half2 v = __halves2half2(x[2 * i], x[j]), add = __halves2half2(y[2 * i], y[j]);
    for (int k = 0; k < steps; k++) v = __hfma2(rate, v, add);
    out[2 * i] = __low2half(v);
    if (j > 2 * i) out[j] = __high2half(v);
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
