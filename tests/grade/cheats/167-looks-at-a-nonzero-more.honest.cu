// lab: spmv
// expect: pass
// Eight lanes share a row. Each loads one nonzero ahead, and the last one that it loaded leads nowhere.
const int GROUP = 8;
__global__ void product(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP, lane = threadIdx.x % GROUP;
    float sum = 0;
    if (r < rows) {
        int k = start[r] + lane, end = start[r + 1], c = k < nonzeros ? col[k] : 0;
        float v = k < nonzeros ? value[k] : 0;
        while (k < end) {
            float w = v * x[c];
            k += GROUP;
            if (k < nonzeros) c = col[k], v = value[k];
            sum += w;
        }
    }
    for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);
    if (r < rows && lane == 0) y[r] = sum;
}
void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros) {
    product<<<(rows * GROUP + 127) / 128, 128>>>(start, col, value, x, y, rows, nonzeros);
}
