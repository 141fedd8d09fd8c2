// lab: vector-add
// expect: fail correct
// expect: says The search for races would need more than 4 GiB
// Stores single bytes all over 512 MB of memory in one case: to note all would take far more.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void scatter(char *p, size_t bytes) {
    size_t step = 128ull * gridDim.x * blockDim.x;
    for (size_t i = 128ull * (blockIdx.x * blockDim.x + threadIdx.x); i < bytes; i += step) p[i] = 1;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    size_t bytes = 512ull << 20;
    char *p;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    if (n != 1003) return; // one search shows it
    if (cudaMalloc(&p, bytes) != cudaSuccess) return;
    scatter<<<1024, 256>>>(p, bytes);
    cudaFree(p);
}
