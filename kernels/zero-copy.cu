// The baseline of zero-copy: device memory and two copies for a single pass.
const int RUN = 4;

__global__ void means(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < RUN; k++) s += in[(size_t)RUN * i + k];
    out[i] = s / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    float *x, *y;
    cudaMalloc(&x, sizeof(float) * RUN * n);
    cudaMalloc(&y, sizeof(float) * n);
    cudaMemcpy(x, in, sizeof(float) * RUN * n, cudaMemcpyHostToDevice);
    means<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(out, y, sizeof(float) * n, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
