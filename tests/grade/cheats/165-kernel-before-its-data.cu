// lab: memory-api
// expect: fail correct
// expect: finding race
// cudaMemcpy() returns when the data have left the array, not when they are on the device, and a kernel in a non-blocking stream does not wait for it.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256, 0, s>>>(v, n);
    cudaStreamSynchronize(s);
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaStreamDestroy(s);
}
