// lab: spmv
// expect: fail counter
// expect: says gld_sectors_per_request is
// A thread for each row reads four nonzeros at a time. Loads of a single word, which lead nowhere, lower the average of sectors per request.
__global__ void rows_apart(const int *start, const int *col, const float *value, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int k = start[r], end = start[r + 1];
    float sum = 0;
    for (; k < end && k % 4; k++) sum += value[k] * x[col[k]];
    for (; k + 4 <= end; k += 4) {
        float4 v = *(const float4 *)(value + k);
        int4 c = *(const int4 *)(col + k);
        sum += v.x * x[c.x] + v.y * x[c.y] + v.z * x[c.z] + v.w * x[c.w];
        for (int i = 0; i < 5; i++) (void)*(const volatile int *)start;
    }
    for (; k < end; k++) sum += value[k] * x[col[k]];
    y[r] = sum;
}
void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int) {
    rows_apart<<<(rows + 127) / 128, 128>>>(start, col, value, x, y, rows);
}
