// lab: half2
// expect: pass
// Pairs, several for each thread.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps, int n) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; 2 * i < n; i += gridDim.x * BLOCK) {
        bool pair = 2 * i + 1 < n;
        half2 rate = __float2half2_rn(0.9375f);
        half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);
        half2 add = pair ? ((const half2 *)y)[i] : __half2half2(y[2 * i]);
        for (int k = 0; k < steps; k++) v = __hfma2(rate, v, add);
        if (pair) ((half2 *)out)[i] = v;
        else out[2 * i] = __low2half(v);
    }
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>(x, y, out, steps, n);
}
