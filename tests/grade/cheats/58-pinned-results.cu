// lab: memory-api
// expect: fail correct
// expect: says are the host's own
// The host's own results lie in page-locked memory into which a kernel stores something, and are copied from there.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
__global__ void one(float *p) {
    p[0] = 7;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *p;
    cudaMalloc(&v, bytes);
    cudaMallocHost(&p, bytes + 4096);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) p[i + 1024] = in[i] + 1;
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    one<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    cudaMemcpy(out, p + 1024, bytes, cudaMemcpyHostToHost);
    cudaFree(v);
    cudaFreeHost(p);
}
