// lab: throughput
// expect: fail correct
// Whole numbers are added up in a float, which holds only 24 bits.
const int BLOCK = 256;
__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i], sum = 0;
    const float M = 12582912.0f;
    for (int k = 0; k < columns; k++) {
        sum += __fsub_rn(__fadd_rn(height, M), M);
        height += rise;
    }
    out[i] = (int)sum;
}
void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
