// constants: turns n samples of 16 bits into floats, lets each float decay for
// `steps` steps, and takes the sine of the result.
// zh: constants：把 n 个 16 位采样转换成 float，让每个值衰减 steps 步，
// zh: 最后取正弦。
//
// All arrays and variables here are floats or integers. Yet the kernel computes
// in double precision.
// zh: 这里的数组和变量不是 float 就是整数，核函数却在用双精度计算。

const int BLOCK = 256;

__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    // TODO: find out why the next three statements compute in double precision,
    // and make them compute in single precision.
    // zh: TODO：找出下面三条语句为什么用双精度计算，并改成单精度。
    float v = in[i] / 32768.0;
    for (int k = 0; k < steps; k++) v = v * 0.98 + 0.01;
    out[i] = sin(v * 3.141592653589793);
}

void constants(const short *in, float *out, int steps, int n) {
    damp<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
