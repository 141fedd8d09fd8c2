// lab: streams
// expect: pass
// In two kernels with numbers between them: through shared memory, a called function and scratch memory.
__global__ void first(const float *x, float *half, int n, int rounds) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    float v = tile[255 - threadIdx.x];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    __syncthreads();
    tile[255 - threadIdx.x] = v;
    __syncthreads();
    if (i < n) half[i] = tile[threadIdx.x];
}
__device__ __noinline__ float further(float v, int rounds) {
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    return v;
}
__global__ void second(const float *half, float *x, int n, int rounds) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) x[i] = further(half[i], rounds);
}
void streams(const float *in, float *x, float *out, int n, int rounds) {
    const int chunks = 8;
    int chunk = (n + chunks - 1) / chunks;
    cudaStream_t s[chunks];
    float *half;
    cudaMalloc(&half, n * 4);
    for (auto &t : s) cudaStreamCreate(&t);
    for (int c = 0; c < chunks; c++) {
        int at = c * chunk, m = n - at < chunk ? n - at : chunk, b = (m + 255) / 256;
        if (m <= 0) break;
        cudaMemcpyAsync(x + at, in + at, m * 4, cudaMemcpyHostToDevice, s[c]);
        first<<<b, 256, 0, s[c]>>>(x + at, half + at, m, rounds / 2);
        second<<<b, 256, 0, s[c]>>>(half + at, x + at, m, rounds - rounds / 2);
        cudaMemcpyAsync(out + at, x + at, m * 4, cudaMemcpyDeviceToHost, s[c]);
    }
    cudaDeviceSynchronize();
    for (auto &t : s) cudaStreamDestroy(t);
    cudaFree(half);
}
