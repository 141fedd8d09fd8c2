// constants, solved: each literal ends in f, and the sine is that for floats. No double is left.
// zh: constants 的参考答案：每个字面量都以 f 结尾，正弦用单精度的版本。双精度运算全部去掉了。
const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i] / 32768.0f;
    for (int k = 0; k < steps; k++) v = v * 0.98f + 0.01f;
    out[i] = sinf(v * 3.141592653589793f);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
