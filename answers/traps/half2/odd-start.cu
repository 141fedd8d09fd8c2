// kind: unsafe
// expect: fail correct
// expect: finding misaligned
// Deals with the odd number first: every pair then starts at an odd half.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i > n) return;
    int odd = n % 2, first = 2 * i - odd;
    bool pair = first >= 0 && first + 1 < n;
    if (first + 1 < 0 || first >= n) return;
    half2 rate = __float2half2_rn(0.9375f);
    half2 v = pair ? *(const half2 *)(x + first) : __half2half2(x[0]);
    half2 add = pair ? *(const half2 *)(y + first) : __half2half2(y[0]);
    for (int k = 0; k < steps; k++) v = __hfma2(rate, v, add);
    if (pair) *(half2 *)(out + first) = v;
    else out[0] = __low2half(v);
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
