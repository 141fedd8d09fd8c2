// kind: cheat
// expect: fail correct
// Cheats: assumes that the columns are consecutive, and does not read them.
const int GROUP = 8; // lanes that share a row: about half as many as a row has nonzeros

__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;
    float sum = 0;
    if (r < rows)
        for (int k = start[r] + lane, end = start[r + 1]; k < end; k += GROUP) sum += value[k] * x[(r + k - start[r]) % rows];
    // A group is a part of a warp. The fourth argument keeps the shuffle inside the group. All 32 lanes take part.
    for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);
    if (r < rows && lane == 0) y[r] = sum;
}

void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    product<<<(rows * GROUP + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
