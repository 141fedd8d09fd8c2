// lab: memory-api
// expect: fail correct
// expect: says are the host's own
// The host's own results go to the device and come back; the device adds ones to something else.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v;
    for (int i = 0; i < n; i++) out[i] = in[i] + 1;
    cudaMalloc(&v, 2 * bytes);
    cudaMemcpy(v, out, bytes, cudaMemcpyHostToDevice);
    add_one<<<(n + 255) / 256, 256>>>(v + n, n);
    cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
}
