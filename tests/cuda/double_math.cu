// Double precision: exact operations, rounding modes, and functions to twelve digits.
// expect: 0.1 + 0.2 = 0.30000000000000004
// expect: rounding 1 1
// expect: sqrt 1.414213562373 exp 2.718281828459 log 0.693147180560 sin 0.841470984808
// expect: fma 1.11e-16
#include "common.h"
__global__ void k(double *o, double a, double b) {
    o[0] = a + b, o[1] = __dadd_ru(1, 1e-20) > 1, o[2] = __dadd_rd(1, -1e-20) < 1;
    o[3] = sqrt(2 * a / 0.1), o[4] = exp(10 * a), o[5] = log(10 * b), o[6] = sin(10 * a);
    o[7] = fma(1 + 0x1p-53 * 2, 1 - 0x1p-53, -1.0);
}
int main() {
    double *d, h[8];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 1>>>(d, 0.1, 0.2);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("0.1 + 0.2 = %.17g\nrounding %g %g\nsqrt %.12f exp %.12f log %.12f sin %.12f\nfma %.2e\n", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]);
}
