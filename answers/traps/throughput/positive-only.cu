// kind: wrong
// expect: fail correct
// Adds 2^23: a negative height falls below it, where floats are half apart.
const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    const float magic = 8388608.0f;
    int sum = 0;
    for (int k = 0; k < columns; k++) {
        sum += __float_as_int(height + magic) - 0x4B000000;
        height += rise;
    }
    out[i] = sum;
}

void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
