// The baseline of ilp: one chain of 63 dependent multiply-adds per thread.
const int BLOCK = 64;

// The value of a polynomial of degree 63 by Horner's rule. Each step needs the result of the one before: 4 cycles of latency, 63 times.
__global__ void horner(const float *x, const float *coeff, float *y, int n) {
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
