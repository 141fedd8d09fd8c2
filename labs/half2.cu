// half2: for each of n numbers in half precision, computes
// out = 0.9375 * out + y, `steps` times. At first, out is the number in x.
// zh: half2：对 n 个半精度数各做 steps 次 out = 0.9375 * out + y，初值取自 x。
//
// Each thread works on one number: a lane reads 2 bytes at a time.
// zh: 现在每个线程处理一个数：每个 lane 一次只读 2 字节。

#include <cuda_fp16.h>

const int BLOCK = 256;

__global__ void decay(const half *x, const half *y, half *out, int steps,
                      int n) {
    // TODO: let each thread work on two neighbouring numbers, as a half2. Then
    // you need only half as many threads, loads and instructions.
    // zh: TODO：让每个线程把相邻两个数当作 half2：线程、读取、指令都减半。
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
