// half2: each of n numbers in half precision goes through
// out = 0.9375 * out + y, `steps` times.
// zh: half2：n 个半精度数各做 steps 次 out = 0.9375 * out + y。
//
// One thread for each number: 2 bytes a lane, and one operation an instruction.
// zh: 现在每个线程处理一个数：每个 lane 只读 2 字节，一条指令只做一次运算。

#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps,
                      int n) {
    // TODO: let a thread take two neighbours as a half2: half as many threads,
    // loads, instructions.
    // zh: TODO：让一个线程把相邻两个数当作 half2 处理：线程、读取、指令都减半。
    // n may be odd. Then the last thread has only one number.
    // zh: n 可能是奇数，这时最后一个线程只有一个数。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    half rate = __float2half(0.9375f), v = x[i], add = y[i];
    for (int k = 0; k < steps; k++) v = __hfma(rate, v, add);
    out[i] = v;
}

void decay_halves(const half *x, const half *y, half *out, int steps, int n) {
    decay<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, out, steps, n);
}
