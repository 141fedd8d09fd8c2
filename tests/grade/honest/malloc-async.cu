// errors: scratch from cudaMallocAsync, freed in stream order
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    float *scratch;
    cudaMallocAsync(&scratch, n * sizeof(float), 0);
    square<<<(n + 255) / 256, 256>>>(in, scratch, n);
    cudaMemcpyAsync(out, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFreeAsync(scratch, 0);
}
