// lab: vector-add
// expect: fail correct
// expect: finding oob
// Right outputs, but every thread also reads its neighbour, the last one past the end.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + (a[i + 1] > 1e30f ? 1.0f : 0.0f);
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
