// kind: slow
// expect: fail counter threads_per_block
// expect: met correct
// Blocks of one warp.
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    const int threads = 32;
    int device, processors, blocks;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, threads, 0);
    walk<<<processors * blocks, threads>>>(next, out, steps, n);
}
