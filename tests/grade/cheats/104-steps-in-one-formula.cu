// lab: half2
// expect: fail counter
// expect: says flop_hp is
// All steps are one multiply-add, whose factors the host computes; and half for half.
#include <cuda_fp16.h>
#include <cmath>
struct alignas(4) two { half a, b; };
__global__ void decay(const two *x, const two *y, two *out, half p, half q, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (2 * i + 1 < n) {
        two u = x[i], w = y[i], r;
        r.a = __hfma(u.a, p, __hmul(w.a, q));
        r.b = __hfma(u.b, p, __hmul(w.b, q));
        out[i] = r;
    } else if (2 * i < n) ((half *)out)[2 * i] = __hfma(((const half *)x)[2 * i], p, __hmul(((const half *)y)[2 * i], q));
}
void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    double r = pow(0.9375, steps);
    decay<<<((n + 1) / 2 + 255) / 256, 256>>>((const two *)x, (const two *)y, (two *)out, __float2half((float)r), __float2half((float)((1 - r) / 0.0625)), n);
}
