// Single precision: rounding, conversion, special values.
// fast
// expect: 16777216 16777218 inf nan
// expect: -3 -2 -2 -3 3
// expect: 2147483647 -2147483648 0 255
// expect: min 1 max 2 copysign -1
#include "common.h"
__global__ void k(float *o, int *p, float x) {
    o[0] = __fadd_rz(x * 0 + 16777216.0f, 1.0f), o[1] = __fadd_ru(x * 0 + 16777216.0f, 1.0f), o[2] = 1 / (x - x), o[3] = (x - x) / (x - x);
    p[0] = __float2int_rd(-x), p[1] = __float2int_rz(-x), p[2] = __float2int_rn(-x), p[3] = (int)floorf(-x), p[4] = (int)ceilf(x);
    p[5] = (int)(x * 1e30f), p[6] = (int)(-x * 1e30f), p[7] = (int)((x - x) / (x - x)), p[8] = __float2uint_rn(255.4f + x * 0);
    o[4] = fminf(1, NAN + x), o[5] = fmaxf(2, x - 1), o[6] = copysignf(1, -x);
}
int main() {
    float *d, h[7];
    int *q, g[9];
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMalloc(&q, sizeof g));
    k<<<1, 1>>>(d, q, 2.5f);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(g, q, sizeof g, cudaMemcpyDeviceToHost));
    printf("%.0f %.0f %g %s\n%d %d %d %d %d\n%d %d %d %d\nmin %g max %g copysign %g\n", h[0], h[1], h[2], h[3] != h[3] ? "nan" : "a number", g[0],
           g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8], h[4], h[5], h[6]);
}
