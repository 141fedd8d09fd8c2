// throughput, solved: near 1.5 * 2^23, floats are 1 apart. So an addition of this number rounds.
// zh: throughput 的参考答案：在 1.5 * 2^23 附近，相邻的 float 相差 1，加上这个数就等于取整。
const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    // 1.5 * 2^23. The bits of this float are 0x4B400000.
    // zh: 1.5 * 2^23。这个 float 的二进制位是 0x4B400000。
    const float magic = 12582912.0f;
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        // The low bits of the sum are the rounded height, even if the height is negative.
        // zh: 相加结果的低位就是取整后的高度，高度为负数时也一样。
        sum += __float_as_int(height + magic) - 0x4B400000;
        height += rise;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
