// kind: ragged
// expect: fail correct
// Whole blocks only.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

// in and out are host memory: the device cannot reach them.
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<n < 256 ? 1 : n / 256, 256>>>(v, n);
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost); // waits for the kernel
    cudaFree(v);
}
