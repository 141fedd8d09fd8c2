// lab: tiling-trap
// expect: fail counter
// expect: says all_load_bytes is
// Two of five elements still go through shared memory for nothing.
const int BLOCK = 256;
__global__ void update(const float *x, float *y, int n) {
    __shared__ float tile[BLOCK * 2];
    int i = blockIdx.x * BLOCK * 5 + threadIdx.x, t = threadIdx.x;
    if (i + 4 * BLOCK < n) {
        volatile float *v = tile;
        v[t] = x[i];
        v[t + BLOCK] = x[i + BLOCK];
        float a = x[i + 2 * BLOCK], b = x[i + 3 * BLOCK], c = x[i + 4 * BLOCK];
        y[i] = 2 * v[t] + 1;
        y[i + BLOCK] = 2 * v[t + BLOCK] + 1;
        y[i + 2 * BLOCK] = 2 * a + 1, y[i + 3 * BLOCK] = 2 * b + 1, y[i + 4 * BLOCK] = 2 * c + 1;
    } else for (int k = i; k < n && k < i + 5 * BLOCK; k += BLOCK) y[k] = 2 * x[k] + 1;
}
void tiling_trap(const float *x, float *y, int n) { update<<<(n + 5 * BLOCK - 1) / (5 * BLOCK), BLOCK>>>(x, y, n); }
