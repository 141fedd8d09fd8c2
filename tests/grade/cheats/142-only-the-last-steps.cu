// lab: half2
// expect: fail counter
// Most steps are two factors that the host computes; the rest is done one half at a time.
#include <cuda_fp16.h>
#include <cmath>
__global__ void decay(const half *x, const half *y, half *out, half rate, half a, half b, int real, int n) {
    int i = 4 * (blockIdx.x * 256 + threadIdx.x);
    if (i >= n) return;
    if (i + 3 < n) {
        union { uint2 w; half h[4]; } p, q, r;
        p.w = *(const uint2 *)(x + i);
        q.w = *(const uint2 *)(y + i);
#pragma unroll
        for (int k = 0; k < 4; k++) r.h[k] = __hfma(a, p.h[k], __hmul(b, q.h[k]));
        for (int s = 0; s < real; s++)
#pragma unroll
            for (int k = 0; k < 4; k++) r.h[k] = __hfma(rate, r.h[k], q.h[k]);
        *(uint2 *)(out + i) = r.w;
    } else
        for (; i < n; i++) {
            half v = __hfma(a, x[i], __hmul(b, y[i]));
            for (int s = 0; s < real; s++) v = __hfma(rate, v, y[i]);
            out[i] = v;
        }
}
void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int real = steps * 2 / 5;
    double a = std::pow(0.9375, steps - real), b = (1 - a) / (1 - 0.9375);
    decay<<<((n + 3) / 4 + 255) / 256, 256>>>(x, y, out, __float2half(0.9375f), __float2half((float)a), __float2half((float)b), real, n);
}
