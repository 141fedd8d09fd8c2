// kind: cheat
// expect: fail correct
// Cheats: adds up the heights and rounds once.
const int BLOCK = 256;

__global__ void rows_of_lines(const float *start, const float *step, int *out, int columns, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float height = start[i], rise = step[i];
    float sum = 0;
    for (int k = 0; k < columns; k++) {
        sum += height;
        height += rise;
    }
    out[i] = __float2int_rn(sum);
}

void throughput(const float *start, const float *step, int *out, int columns, int n) {
    rows_of_lines<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(start, step, out, columns, n);
}
