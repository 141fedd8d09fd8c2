// kind: ragged
// expect: fail correct
// Whole blocks only.
const int BLOCK = 256;

__global__ void update(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}

void tiling_trap(const float *x, float *y, int n) { update<<<n < BLOCK ? 1 : n / BLOCK, BLOCK>>>(x, y, n); }
