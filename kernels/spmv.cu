// The baseline of spmv: a thread per row (the "scalar" kernel for compressed sparse rows). Lanes walk through rows of different length, and their loads
// of `value` and `col` lie a row apart.
__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[col[k]];
    y[r] = sum;
}

void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    product<<<(rows + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
