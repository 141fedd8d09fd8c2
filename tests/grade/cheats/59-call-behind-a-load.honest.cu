// lab: configuration
// expect: pass
// The load itself is in a function that is called: enough warps hide what the call waits for.
__device__ __noinline__ int load(const int *next, int at) {
    return next[at];
}
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = load(next, at);
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) {
    const int threads = 256;
    int processors, blocks;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, threads, 0);
    walk<<<processors * blocks, threads>>>(next, out, steps, n);
}
