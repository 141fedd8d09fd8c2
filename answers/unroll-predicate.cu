// unroll-predicate, solved: loops of constant length, __restrict__, and lanes that select numbers.
// zh: unroll-predicate 的参考答案：循环长度是常数，指针带 __restrict__，lane 选数而不走分支。
const int BLOCK = 256, EACH = 8, TERMS = 8;
const float KNEE = 0.5f;

__global__ void tone(const float *__restrict__ in, const float *__restrict__ curve,
                     float *__restrict__ out, int n) {
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        int i = first + m * BLOCK;
        if (i >= n) return;
        float v = in[i], y = 0;
#pragma unroll
        for (int k = 0; k < TERMS; k++) {
            // Both are read, whatever v is. So they can stay in registers for all EACH elements.
            // zh: 不管 v 是多少，两个系数都读，所以处理全部 EACH 个元素时，都可以留在寄存器里。
            float low = curve[k], high = curve[TERMS + k];
            y = y * v + (v < KNEE ? low : high);
        }
        out[i] = y;
    }
}

void unroll_predicate(const float *in, const float *curve, float *out, int n) {
    int block = BLOCK * EACH;
    tone<<<(n + block - 1) / block, BLOCK>>>(in, curve, out, n);
}
