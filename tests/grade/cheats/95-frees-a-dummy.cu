// lab: memory-api
// expect: fail counter
// expect: says released_pct is
// A byte that nobody uses is freed, and the buffer is not.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    char *one; cudaMalloc(&one, 1); cudaFree(one);
}
