// lab: half2
// expect: fail counter
// Scalar halves, two steps in one multiply-add: half of the operations.
#include <cuda_fp16.h>
const int BLOCK = 256;
__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i >= n) return;
    bool pair = 2 * i + 1 < n;
    half2 a = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]), b = pair ? ((const half2 *)y)[i] : __half2half2(y[2 * i]);
    half rate = __float2half(0.9375f), rr = __float2half(0.9375f * 0.9375f), one = __float2half(1.9375f);
    half v[2] = {__low2half(a), __high2half(a)}, s[2] = {__low2half(b), __high2half(b)};
    for (int h = 0; h < 2; h++) {
        half t = __hmul(one, s[h]);
        for (int k = 0; k < steps / 2; k++) v[h] = __hfma(rr, v[h], t);
        if (steps & 1) v[h] = __hfma(rate, v[h], s[h]);
    }
    if (pair) ((half2 *)out)[i] = __halves2half2(v[0], v[1]); else out[2 * i] = v[0];
}
void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    decay<<<((n + 1) / 2 + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
