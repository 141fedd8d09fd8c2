// lab: churn
// expect: fail correct
// A static array of the largest public size.
__device__ float before[1 << 16];
__global__ void smooth(float *to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    to[i] = (before[i > 0 ? i - 1 : 0] + before[i] + before[i < n - 1 ? i + 1 : i]) / 3.0f;
}
void churn(const float *in, float *out, int n, int steps) {
    cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < steps; k++) {
        cudaMemcpyToSymbolAsync(before, out, n * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        smooth<<<(n + 255) / 256, 256>>>(out, n);
    }
}
