// The baseline of unroll-predicate: a loop whose length the compiler is not told, a branch with a loop on either side, and pointers
// without a promise, so that the curve is loaded again for every element.

const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

__global__ void tone(const float *in, const float *curve, float *out, int terms, int n) {
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    for (int m = 0; m < EACH; m++) {
        int i = first + m * BLOCK;
        if (i >= n) return;
        float v = in[i], y = 0;
        if (v < KNEE) {
            for (int k = 0; k < terms; k++) y = y * v + curve[k];
        } else {
            for (int k = 0; k < terms; k++) y = y * v + curve[TERMS + k];
        }
        out[i] = y;
    }
}

void unroll_predicate(const float *in, const float *curve, float *out, int n) {
    int block = BLOCK * EACH;
    tone<<<(n + block - 1) / block, BLOCK>>>(in, curve, out, TERMS, n);
}
