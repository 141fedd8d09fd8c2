// spmv: y = A * x for a sparse matrix in compressed sparse rows (CSR): the
// nonzeros of row r are value[k] in column col[k], for k from start[r] up to,
// not including, start[r + 1].
//
// One thread per row: rows of different length keep the lanes of a warp
// waiting for the longest.
// zh: y = A * x，A 是按压缩行（CSR）存放的稀疏矩阵：第 r 行的非零元是
// zh: value[k]，位于第 col[k] 列，k 从 start[r] 到 start[r + 1]（不含）。
// zh:
// zh: 每个线程算一行：各行长短不一，一个 warp 要等其中最长的那一行。

__global__ void product(const int *start, const int *col, const float *value,
                        const float *x, float *y, int rows) {
    // TODO: let a group of lanes share a row, in unit stride, and add up by
    // shuffles. How many lanes, for rows of about 16 nonzeros?
    // zh: TODO：让一组 lane 以单位步长共同处理一行，再用洗牌求和。
    // zh: 每行约 16 个非零元时，一组几个 lane 合适？
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[col[k]];
    y[r] = sum;
}

void spmv(const int *start, const int *col, const float *value, const float *x,
          float *y, int rows, int nonzeros) {
    product<<<(rows + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
