// kind: slow
// expect: fail counter inst_convert
// expect: met correct
// The right idea in double precision: the float is converted to a double for it.
const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        sum += __double2loint(height + 6755399441055744.0);
        height += rise;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
