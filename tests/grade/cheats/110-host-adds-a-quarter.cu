// lab: memory-api
// expect: fail correct
// expect: says values of the output
// The host adds the ones to a quarter of the elements.
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    int m = n - n * 24LL / 100;
    float *v;
    cudaMalloc(&v, m * sizeof(float));
    cudaMemcpy(v, in, m * sizeof(float), cudaMemcpyHostToDevice);
    add_one<<<(m + 255) / 256, 256>>>(v, m);
    cudaMemcpy(out, v, m * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(v);
    for (int i = m; i < n; i++) out[i] = in[i] + 1;
}
