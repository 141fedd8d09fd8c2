// kind: unsafe
// expect: fail correct
// expect: finding oob
// Reads and writes a whole pair where there is only one number.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i >= n) return;
    half2 rate = __float2half2_rn(0.9375f);
    half2 v = ((const half2 *)x)[i];
    half2 add = ((const half2 *)y)[i];
    for (int k = 0; k < steps; k++) v = __hfma2(rate, v, add);
    ((half2 *)out)[i] = v;
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
