// lab: vector-add
// expect: fail counter
// expect: says global_store_bytes is
// All lanes are active, but four of them add the same pair of elements.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 256>>>(a, b, c, n); }
