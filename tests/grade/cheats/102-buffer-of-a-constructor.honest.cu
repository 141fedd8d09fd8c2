// lab: churn
// expect: pass
// The object begins with the context and a stream; the function allocates the buffer, once for all steps.
struct begun {
    cudaStream_t on = nullptr;
    begun() {
        cudaFree(0);
        cudaStreamCreate(&on);
    }
};
static begun device;

__global__ void average(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (from[i ? i - 1 : 0] + from[i] + from[i + 1 < n ? i + 1 : i]) / 3.0f;
}

void churn(const float *in, float *out, int n, int steps) {
    float *between;
    cudaMalloc(&between, n * sizeof(float));
    cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice, device.on);
    for (int k = 0; k < steps; k++) {
        cudaMemcpyAsync(between, out, n * sizeof(float), cudaMemcpyDeviceToDevice, device.on);
        average<<<(n + 127) / 128, 128, 0, device.on>>>(between, out, n);
    }
    cudaStreamSynchronize(device.on);
    cudaFree(between);
}
