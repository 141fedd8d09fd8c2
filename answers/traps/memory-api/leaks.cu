// kind: slow
// expect: fail counter released_pct
// expect: met correct
// Never frees: every call leaves an array behind.
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
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost); // waits for the kernel
}
