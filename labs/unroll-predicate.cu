// unroll-predicate: out[i] = P(in[i]). P is one polynomial for values below
// KNEE, and another for the rest.
// zh: unroll-predicate：out[i] = P(in[i])。值小于 KNEE 时 P 是一个多项式，
// zh: 否则是另一个。
//
// `curve` holds the TERMS coefficients of the first polynomial, then those of
// the second.
// zh: curve 里先放第一个多项式的 TERMS 个系数，再放第二个的。

const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

// TODO: tell the compiler three facts that it does not know.
// zh: TODO：把编译器不知道的三件事告诉它。
// 1. `terms` is always TERMS.
// zh: 1. terms 总是等于 TERMS。
// 2. A store to `out` never changes `in` or `curve`.
// zh: 2. 写 out 不会改变 in 或 curve。
// 3. Both sides of the branch do the same operations with different numbers.
// zh: 3. 分支的两边做的是同样的运算，只是数不同。
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
