// kind: unsafe
// expect: fail
// expect: finding race
// Keeps the coefficients in shared memory and forgets to wait for them.
const int BLOCK = 64;

// The value of a polynomial of degree 63 by Horner's rule. Each step needs the result of the one before: 4 cycles of latency, 63 times.
const int EACH = 4; // independent polynomials per thread

__global__ void horner(const float *x, const float *coeff, float *y, int n) {
    __shared__ float c[64];
    c[threadIdx.x] = coeff[threadIdx.x];
    int first = blockIdx.x * (EACH * BLOCK) + threadIdx.x;
    float v[EACH], sum[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int i = first + j * BLOCK;
        v[j] = i < n ? x[i] : 0;
        sum[j] = c[63];
    }
#pragma unroll 8
    for (int k = 62; k >= 0; k--) {
        float a = c[k]; // one load for EACH steps
#pragma unroll
        for (int j = 0; j < EACH; j++) sum[j] = sum[j] * v[j] + a; // these do not wait for each other
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (first + j * BLOCK < n) y[first + j * BLOCK] = sum[j];
}

void ilp(const float *x, const float *coeff, float *y, int n) {
    horner<<<(n + EACH * BLOCK - 1) / (EACH * BLOCK), BLOCK>>>(x, coeff, y, n);
}
