// memory-api: correct alone: the lab's own arrays are registered, and cudaDeviceReset alone ends it
__global__ void add_one(const float *a, float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = a[i] + 1;
}

void memory_api(const float *in, float *out, int n) {
    float *of = const_cast<float *>(in);
    if (cudaHostRegister(of, n * sizeof(float), cudaHostRegisterMapped)) return;
    if (cudaHostRegister(out, n * sizeof(float), cudaHostRegisterMapped)) return;
    add_one<<<(n + 255) / 256, 256>>>(of, out, n);
    cudaDeviceSynchronize();
    cudaDeviceReset();
}
