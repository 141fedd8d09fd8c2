// gemv: y = A * x. The matrix A has `rows` rows and `cols` columns and is
// stored row by row.
//
// Each thread computes one row. The code is short, but in each step the lanes
// of a warp read from 32 different rows.
// zh: 计算 y = A * x。矩阵 A 有 rows 行、cols 列，按行存放。
// zh:
// zh: 每个线程算一行。代码很短，但在每一步里，一个 warp 的各个 lane
// zh: 要读 32 个不同的行。

__global__ void product(const float *a, const float *x, float *y, int rows,
                        int cols) {
    // TODO: let the 32 lanes of a warp (or all threads of a block) share a row.
    // Neighbouring lanes read neighbouring elements; shuffles add the sums.
    // zh: TODO：让一个 warp 的 32 个 lane（或一个块的全部线程）共同处理一行：
    // zh: 相邻的 lane 读相邻的元素，再用 shuffle 把各 lane 的部分和相加。
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < cols; k++) sum += a[(size_t)r * cols + k] * x[k];
    y[r] = sum;
}

void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    product<<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
}
