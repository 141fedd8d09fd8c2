// constants: makes floats of n samples of 16 bits, lets each decay for `steps`
// turns, and bends it.
// zh: constants：把 n 个 16 位采样换成 float，每个衰减 steps 步，
// zh: 最后再弯曲一下。
//
// Every array and every variable here is a float or an integer. Yet the kernel
// computes in doubles.
// zh: 这里的数组和变量不是 float 就是整数，可是核函数却在用双精度计算。

const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    // TODO: find what makes the next three lines compute in double precision,
    // and take it out.
    // zh: TODO：找出是什么让下面三行用双精度计算，并去掉它。
    float v = in[i] / 32768.0;
    for (int k = 0; k < steps; k++) v = v * 0.98 + 0.01;
    out[i] = sin(v * 3.141592653589793);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
