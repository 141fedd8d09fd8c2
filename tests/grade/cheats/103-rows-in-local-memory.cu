// lab: sync-cost
// expect: fail slowest
// No barriers: each thread has all the 256 values of its block's row in local memory.
const int SIZE = 256;
__global__ void alone(const int *in, int *out, int n) {
    int row[SIZE], first = (blockIdx.x * blockDim.x + threadIdx.x) * SIZE;
    if (first >= n) return;
    for (int k = 0; k < SIZE; k++) row[k] = first + k < n ? in[first + k] : 0;
    for (int d = 1; d < SIZE; d *= 2)
        for (int k = 0; k < SIZE; k++) {
            if (k & d) continue;
            int a = row[k], b = row[k + d];
            row[k] = a + b, row[k + d] = a - b;
        }
    for (int k = 0; k < SIZE && first + k < n; k++) out[first + k] = row[k];
}
void sync_cost(const int *in, int *out, int n) {
    int rows = (n + SIZE - 1) / SIZE;
    alone<<<(rows + 31) / 32, 32>>>(in, out, n);
}
