// ilp: y[i] is the polynomial with the 64 coefficients coeff[] at x[i].
//
// A step of Horner's rule cannot start before the last one is done. Only other work can fill the gaps.
//
// y[i] 是以 coeff[] 的 64 个数为系数的多项式在 x[i] 处的值。秦九韶（Horner）算法的每一步都要等上一步完成，空档只能用别的工作来填。

const int BLOCK = 64;

// The value of a polynomial of degree 63 by Horner's rule. Each step needs the result of the one before: 4 cycles of latency, 63 times.
__global__ void horner(const float *x, const float *coeff, float *y, int n) {
    // TODO: let each thread evaluate several polynomials side by side, in registers: their chains do not depend on each other.
    // TODO：让每个线程在寄存器里并排计算几个多项式：它们的链互不依赖。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = x[i], sum = coeff[63];
#pragma unroll 8
    for (int k = 62; k >= 0; k--) sum = sum * v + coeff[k];
    y[i] = sum;
}

void ilp(const float *x, const float *coeff, float *y, int n) {
    horner<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, coeff, y, n);
}
