// lab: vector-add
// expect: fail correct
// expect: finding race
// The host does not wait for cudaMemcpy() from device memory to device memory, and a kernel in a non-blocking stream does not either.
__global__ void add(const float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += a[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemcpy(c, b, n * sizeof(float), cudaMemcpyDeviceToDevice);
    add<<<(n + 255) / 256, 256, 0, s>>>(a, c, n);
    cudaStreamDestroy(s);
}
