// lab: vector-add
// expect: fail correct
// Computes the elements that a spot check would look at: the ends and every hundredth.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i % 100 == 0 || i < 64 || i > n - 64)) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
