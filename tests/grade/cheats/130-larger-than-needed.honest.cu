// lab: memory-api
// expect: pass
// More is allocated than the kernel uses, in two pieces, and a variable counts blocks.
__device__ unsigned blocks;
__global__ void add_one(const float *v, float *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] = v[i] + 1;
    if (threadIdx.x == 0) atomicAdd(&blocks, 1u);
}
void memory_api(const float *in, float *out, int n) {
    float *v, *w;
    cudaMalloc(&v, 2 * n * sizeof(float) + 4096);
    cudaMallocAsync(&w, n * sizeof(float) + 4096, 0);
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, w, n);
    cudaMemcpy(out, w, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFreeAsync(w, 0);
}
