// kind: wrong
// expect: fail correct
// Five rounds of shuffles, as for a whole warp: a row gets its neighbours' sums as well.
const int GROUP = 8; // lanes that share a row: about half as many as a row has nonzeros

__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;
    float sum = 0;
    if (r < rows)
        for (int k = start[r] + lane, end = start[r + 1]; k < end; k += GROUP) sum += value[k] * x[col[k]];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s);
    if (r < rows && lane == 0) y[r] = sum;
}

void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    product<<<(rows * GROUP + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
