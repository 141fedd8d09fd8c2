// lab: vector-add
// expect: fail counter
// expect: says global_store_bytes is
// Three blocks add the same elements.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<dim3((n + 255) / 256, 3), 256>>>(a, b, c, n); }
