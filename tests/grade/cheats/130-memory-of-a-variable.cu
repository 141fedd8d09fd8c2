// lab: memory-api
// expect: fail counter
// expect: says released_pct is 0%
// The data are in a variable of the timed size; 256 bytes that nobody uses are allocated and freed.
__device__ float v[1 << 18];
__global__ void add_one(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}
void memory_api(const float *in, float *out, int n) {
    void *decoy;
    cudaMalloc(&decoy, 256);
    cudaMemcpyToSymbol(v, in, n * sizeof(float));
    add_one<<<(n + 255) / 256, 256>>>(n);
    cudaMemcpyFromSymbol(out, v, n * sizeof(float));
    cudaFree(decoy);
}
