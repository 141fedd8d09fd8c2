// spmv, solved: eight lanes per row (the "vector" kernel with a group smaller than a warp).
// zh: spmv 的参考答案：每行八个 lane（“向量”核函数，组比 warp 小）。
const int GROUP = 8; // lanes that share a row: about half as many as a row has nonzeros
// zh: 分担一行的 lane 数：约为每行非零元数的一半

__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;
    float sum = 0;
    if (r < rows)
        for (int k = start[r] + lane, end = start[r + 1]; k < end; k += GROUP) sum += value[k] * x[col[k]];
    // Groups are parts of a warp: the shuffle stays inside them because its width is GROUP. All lanes take part.
    // zh: 组是 warp 的一部分：shuffle 的宽度是 GROUP，所以不会越出组外。所有 lane 都参加。
    for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);
    if (r < rows && lane == 0) y[r] = sum;
}

void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    product<<<(rows * GROUP + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
