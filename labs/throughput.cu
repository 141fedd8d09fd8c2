// throughput: line i starts at height start[i] and rises by step[i] from column
// to column.
// zh: throughput：第 i 条直线从高度 start[i] 开始，每过一列升高 step[i]。
//
// In each column, the height is rounded to the nearest row of pixels. out[i] is
// the sum of the row numbers of line i.
// zh: 在每一列，把高度取整到最近的一行像素；out[i] 是第 i 条直线的行号之和。

const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out,
                              int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        // TODO: one instruction of this loop has N = 16. The others have
        // N = 64 or N = 128.
        // zh: TODO：这个循环里有一条指令的 N 是 16，
        // zh: 其余的 N 是 64 或 128。
        // Compute the same whole number with faster instructions. |height| is
        // always below 2^22.
        // zh: 请用较快的指令得到同样的整数。|height| 总是小于 2^22。
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
