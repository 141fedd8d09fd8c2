// gemv: y = A * x for a matrix of `rows` rows and `cols` columns, stored
// row by row.
//
// One thread per row: short code, and in each step the lanes of a warp read
// from 32 rows.
// zh: y = A * x，矩阵有 rows 行、cols 列，按行存放。
// zh:
// zh: 每个线程算一行：代码很短，但每一步里，一个 warp 的各个 lane 要读
// zh: 32 个不同的行。

__global__ void product(const float *a, const float *x, float *y, int rows,
                        int cols) {
    // TODO: let the 32 lanes of a warp (or a block of threads) share one row,
    // in unit stride, and add up their parts by shuffles.
    // zh: TODO：让一个 warp 的 32 个 lane（或一个块的线程）以单位步长共同处理一
    // zh: 行，再用洗牌把各自的部分和加起来。
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < cols; k++) sum += a[(size_t)r * cols + k] * x[k];
    y[r] = sum;
}

void gemv(const float *a, const float *x, float *y, int rows, int cols) {
    product<<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
}
