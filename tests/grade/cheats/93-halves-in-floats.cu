// lab: half2
// expect: fail counter
// expect: says arithmetic is
// Single precision, one number an instruction; bits are moved in place of conversions.
#include <cuda_fp16.h>
const int BLOCK = 256;
__device__ float up(unsigned h) { return __uint_as_float((h & 0x8000u) << 16 | (h & 0x7fffu) << 13) * 5.192296858534828e33f; }
__device__ unsigned down(float f) { // normal range, round to nearest even
    unsigned b = __float_as_uint(f * 1.925929944387236e-34f), s = b >> 16 & 0x8000u;
    b &= 0x7fffffffu;
    return s | (b + 0xfffu + (b >> 13 & 1)) >> 13;
}
__global__ void decay(const unsigned *x, const unsigned *y, unsigned *out, const unsigned short *xs, const unsigned short *ys, unsigned short *os, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (2 * i >= n) return;
    bool pair = 2 * i + 1 < n;
    unsigned a = pair ? x[i] : xs[2 * i], b = pair ? y[i] : ys[2 * i];
    float v0 = up(a & 0xffff), v1 = up(a >> 16), c0 = up(b & 0xffff), c1 = up(b >> 16);
    for (int k = 0; k < steps; k++) v0 = 0.9375f * v0 + c0, v1 = 0.9375f * v1 + c1;
    if (pair) out[i] = down(v0) | down(v1) << 16;
    else os[2 * i] = (unsigned short)down(v0);
}
void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    int pairs = (n + 1) / 2;
    decay<<<(pairs + BLOCK - 1) / BLOCK, BLOCK>>>((const unsigned *)x, (const unsigned *)y, (unsigned *)out, (const unsigned short *)x, (const unsigned short *)y, (unsigned short *)out, steps, n);
}
