// lab: churn
// expect: fail correct
// expect: says allocated memory before its function was called
// The buffer between the steps is allocated before the function is called, by an object of the program.
struct room {
    float *at = nullptr;
    room() { cudaMalloc(&at, sizeof(float) << 18); }
};
static room between;

__global__ void average(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (from[i ? i - 1 : 0] + from[i] + from[i + 1 < n ? i + 1 : i]) / 3.0f;
}

void churn(const float *in, float *out, int n, int steps) {
    cudaMemcpy(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < steps; k++) {
        cudaMemcpy(between.at, out, n * sizeof(float), cudaMemcpyDeviceToDevice);
        average<<<(n + 127) / 128, 128>>>(between.at, out, n);
    }
}
