// spmv: y = A * x. The sparse matrix A is stored in compressed sparse rows
// (CSR): for each k from start[r] to start[r + 1] - 1, row r has the nonzero
// value[k] in column col[k].
//
// Each thread computes one row. The rows differ in length, and a warp takes
// as long as its longest row.
// zh: 计算 y = A * x。稀疏矩阵 A 按压缩稀疏行（CSR）存放：第 r 行的非零元是
// zh: value[k]，位于第 col[k] 列，k 从 start[r] 到 start[r + 1] - 1。
// zh:
// zh: 每个线程算一行。各行长短不一，一个 warp 要等到其中最长的一行做完。

__global__ void product(const int *start, const int *col, const float *value,
                        const float *x, float *y, int rows) {
    // TODO: let a group of lanes share a row. Neighbouring lanes read adjacent
    // nonzeros; shuffles add the sums. How many lanes suit 16 nonzeros?
    // zh: TODO：让一组 lane 共同处理一行：相邻的 lane 读相邻的非零元，再用 shuffle
    // zh: 求和。每行约有 16 个非零元时，一组几个 lane 合适？
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
