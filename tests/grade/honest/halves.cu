// memory-api: correct alone: in two halves, the first of which is back before the second is sent
__global__ void add_one(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

void memory_api(const float *in, float *out, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof *v);
    for (int at = 0; at < n;) {
        int m = at ? n - at : (n + 1) / 2;
        cudaMemcpy(v + at, in + at, m * sizeof *v, cudaMemcpyHostToDevice);
        add_one<<<(m + 255) / 256, 256>>>(v + at, m);
        cudaMemcpy(out + at, v + at, m * sizeof *v, cudaMemcpyDeviceToHost);
        at += m;
    }
    cudaFree(v);
}
