// kind: cheat
// expect: fail correct
// Cheats: the device does all the arithmetic, on the wrong numbers, and the host adds the ones.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 2;
}

void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    cudaMalloc(&v, bytes);
    cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v, n);
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
    for (int i = 0; i < n; i++) out[i] = in[i] + 1;
}
