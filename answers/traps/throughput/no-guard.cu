// kind: unsafe
// expect: fail correct
// expect: finding oob
// No check against n.
const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float height = start[i], rise = step[i];
    const float magic = 12582912.0f; // 1.5 * 2^23, whose bits are 0x4B400000
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        sum += __float_as_int(height + magic) - 0x4B400000;
        height += rise;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
