// kind: unsafe
// expect: fail correct
// expect: finding oob
// Enough threads, but nothing keeps those beyond the end from writing there.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
