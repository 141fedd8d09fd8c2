// kind: unsafe
// expect: fail correct
// expect: finding oob
// No boundary check.
__global__ void smooth(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = 0.5f * v[i] + 1;
}
void one_trip(const float *x, float *y, int n, int passes) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, x, bytes, cudaMemcpyHostToDevice);
    for (int p = 0; p < passes; p++) smooth<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(y, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
}
