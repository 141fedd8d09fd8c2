// kind: ragged
// expect: fail correct
// Wrong at ragged sizes: the boundary is checked, but the number of blocks is
// rounded down, so the tail is never written.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<n / 64, 64>>>(a, b, c, n); }
