// vector-add: the per-thread default stream by its handle
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 255) / 256, 256, 0, cudaStreamPerThread>>>(a, b, c, n);
}
