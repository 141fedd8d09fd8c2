// lab: unroll-predicate
// expect: fail counter
// expect: says all_load_bytes is
// Each element still loads its coefficients: from shared memory.
const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;
__global__ void tone(const float *in, const float *curve, float *out, int n) {
    __shared__ float c[2 * TERMS];
    if (threadIdx.x < 2 * TERMS) c[threadIdx.x] = curve[threadIdx.x];
    __syncthreads();
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        int i = first + m * BLOCK;
        if (i < n) {
            float v = in[i], y = 0;
            const volatile float *p = c + (v < KNEE ? 0 : TERMS);
#pragma unroll
            for (int k = 0; k < TERMS; k++) y = y * v + p[k];
            out[i] = y;
        }
    }
}
void unroll_predicate(const float *in, const float *curve, float *out, int n) {
    int block = BLOCK * EACH;
    tone<<<(n + block - 1) / block, BLOCK>>>(in, curve, out, n);
}
