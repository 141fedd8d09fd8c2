// lab: memory-api
// expect: fail correct
// expect: says are the host's own
// The host's own results lie in managed memory; a kernel copies them to another block, and adds ones to something else.
__global__ void copies(const float *u, float *v, float *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i], w[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    size_t bytes = n * sizeof(float);
    float *v, *u, *w;
    cudaMallocManaged(&v, bytes);
    cudaMallocManaged(&u, bytes);
    cudaMalloc(&w, bytes);
    cudaMemcpy(w, in, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) u[i] = in[i] + 1;
    copies<<<(n + 255) / 256, 256>>>(u, v, w, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) out[i] = v[i];
    cudaMemcpy(u, w, bytes, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(u);
    cudaFree(w);
}
