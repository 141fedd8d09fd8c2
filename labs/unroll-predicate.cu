// unroll-predicate: out[i] = P(in[i]), one polynomial below KNEE and
// another above it.
// zh: unroll-predicate：out[i] = P(in[i])，小于 KNEE 时用一个多项式，
// zh: 否则用另一个。
//
// curve holds the TERMS coefficients of the lower one, then those of the
// upper one.
// zh: curve 里先是前一个多项式的 TERMS 个系数，再是后一个的。

const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

// TODO: tell the compiler what you know and it does not.
// zh: TODO：把你知道而编译器不知道的事告诉它。
// 1. `terms` is always TERMS.
// zh: 1. terms 永远等于 TERMS。
// 2. Neither in nor curve is ever written through out.
// zh: 2. 通过 out 绝不会改写 in 或 curve。
// 3. Both sides of the branch do the same, with other numbers.
// zh: 3. 分支的两边做的是同一件事，只是数不同。
__global__ void tone(const float *in, const float *curve, float *out, int terms,
                     int n) {
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
