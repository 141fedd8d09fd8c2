// memory-api: correct alone: the lab's own arrays are registered, and the kernel works on them over the link; the lab asks for copies
__global__ void add_one(const float *a, float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = a[i] + 1;
}

void memory_api(const float *in, float *out, int n) {
    float *a, *v;
    void *of = const_cast<float *>(in);
    cudaHostRegister(of, n * sizeof(float), cudaHostRegisterMapped);
    cudaHostRegister(out, n * sizeof(float), cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&a, of, 0);
    cudaHostGetDevicePointer((void **)&v, out, 0);
    out[0] = 5; // before the launch: the kernel's value counts
    add_one<<<(n + 255) / 256, 256>>>(a, v, n);
    cudaDeviceSynchronize();
    if (out[0] == 5) out[0] = 0; // the host sees the kernel's value before it unregisters the array
    cudaHostUnregister(out);
    cudaHostUnregister(of);
}
