// lab: memory-api
// expect: fail correct
// expect: finding race
// An asynchronous copy from ordinary memory may return before the data are on the device. A kernel in another stream uses them without an event.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaStream_t copies, kernels;
    cudaStreamCreate(&copies);
    cudaStreamCreate(&kernels);
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpyAsync(v, in, n * sizeof(float), cudaMemcpyHostToDevice, copies);
    add_one<<<(n + 255) / 256, 256, 0, kernels>>>(v, n);
    cudaDeviceSynchronize();
    cudaMemcpy(out, v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaStreamDestroy(copies);
    cudaStreamDestroy(kernels);
}
