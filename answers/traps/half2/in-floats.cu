// kind: slow
// expect: fail counter inst_convert
// expect: met correct
// expect: met counter global_loads
// Loads pairs, and computes in floats: no half-precision instruction, but six conversions for a pair.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i >= n) return;
    bool pair = 2 * i + 1 < n;
    float2 v = __half22float2(pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]));
    float2 add = __half22float2(pair ? ((const half2 *)y)[i] : __half2half2(y[2 * i]));
    for (int k = 0; k < steps; k++) {
        v.x = 0.9375f * v.x + add.x;
        v.y = 0.9375f * v.y + add.y;
    }
    if (pair) ((half2 *)out)[i] = __float22half2_rn(v);
    else out[2 * i] = __float2half(v.x);
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
