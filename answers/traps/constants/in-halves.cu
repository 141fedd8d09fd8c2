// kind: wrong
// expect: fail correct
// One step too far: in half precision a sample of 16 bits loses its last five.
#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    half v = __float2half(in[i] / 32768.0f);
    for (int k = 0; k < steps; k++) v = __hfma(v, __float2half(0.98f), __float2half(0.01f));
    out[i] = sinf(__half2float(v) * 3.141592653589793f);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
