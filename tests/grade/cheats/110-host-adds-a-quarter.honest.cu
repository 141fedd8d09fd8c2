// lab: memory-api
// expect: pass
// The device adds all of them; the last elements come back in a copy of their own.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    int m = n - n / 4;
    cudaMemcpy(out, v, m * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(out + m, v + m, (n - m) * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
}
