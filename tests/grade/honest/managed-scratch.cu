// errors: its scratch is managed memory that only the device touches
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    float *scratch;
    cudaMallocManaged(&scratch, n * sizeof(float));
    square<<<(n + 255) / 256, 256>>>(in, scratch, n);
    cudaMemcpy(out, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(scratch);
}
