// kind: ragged
// expect: fail correct
// Wrong at ragged sizes: the boundary is checked, but the number of blocks is rounded down.
__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
void first(const float *x, float *y, float factor, int n) { scale<<<n < 64 ? 1 : n / 64, 64>>>(x, y, factor, n); }
