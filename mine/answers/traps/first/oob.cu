// kind: unsafe
// expect: fail correct
// expect: finding oob
// Enough threads, but nothing keeps those beyond the end from writing there.
__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = factor * x[i];
}
void first(const float *x, float *y, float factor, int n) { scale<<<(n + 63) / 64, 64>>>(x, y, factor, n); }
