// kind: unsafe
// expect: fail correct
// expect: finding oob
// The classic slip: <= lets exactly one thread too many through.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<n / 64 + 1, 64>>>(a, b, c, n); }
