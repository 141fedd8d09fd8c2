// kind: slow
// expect: fail counter warp_inst
// expect: met correct
// Four values per thread, one chain after the other: nothing overlaps, nothing is shared.
const int BLOCK = 64;

// The value of a polynomial of degree 63 by Horner's rule. Each step needs the result of the one before: 4 cycles of latency, 63 times.
__global__ void horner(const float *x, const float *coeff, float *y, int n) {
#pragma unroll 1
    for (int j = 0, i = blockIdx.x * (4 * BLOCK) + threadIdx.x; j < 4 && i < n; j++, i += BLOCK) {
        float v = x[i], sum = coeff[63];
#pragma unroll 8
        for (int k = 62; k >= 0; k--) sum = sum * v + ((const volatile float *)coeff)[k];
        y[i] = sum;
    }
}

void ilp(const float *x, const float *coeff, float *y, int n) {
    horner<<<(n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>(x, coeff, y, n);
}
