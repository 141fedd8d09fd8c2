// kind: wrong
// expect: fail correct
// The second copy goes the wrong way, from host to device once more: no error, for it is a valid copy, and out is never written.
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
    cudaMemcpy(v, out, bytes, cudaMemcpyHostToDevice); // overwrites the result
    cudaFree(v);
}
