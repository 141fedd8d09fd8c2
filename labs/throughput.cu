// throughput: a line starts at height start[i] and rises by step[i] with
// every column.
// zh: throughput：一条线从高度 start[i] 出发，每过一列升高 step[i]。
//
// In each column the pixel nearest to the line is wanted; out[i] is the sum of
// their rows.
// zh: 每一列都取离线最近的像素；out[i] 是这些像素行号之和。

const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out,
                              int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        // TODO: one instruction of this loop runs at 16 a cycle, the others at
        // 64 and 128.
        // zh: TODO：这个循环里有一条指令每周期只能做 16 次，
        // zh: 其余的能做 64 或 128 次。
        // Get the same whole number, |height| < 2^22, from those that
        // run faster.
        // zh: 请用较快的指令得到同样的整数；已知 |height| < 2^22。
        sum += __float2int_rn(height);
        height += rise;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int columns,
                int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns,
                                                      n);
}
