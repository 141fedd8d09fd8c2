// The reference and the baseline of vector-add: one thread per element; each
// thread compares its index with n.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    const int block = 64;
    add<<<(n + block - 1) / block, block>>>(a, b, c, n);
}
