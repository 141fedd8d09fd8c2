// kind: cheat
// expect: fail correct
// Stops half way.
__global__ void walk(const int *next, int *out, int steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps / 2; s++) at = next[at];
        out[i] = at;
    }
}

void configuration(const int *next, int *out, int steps, int n) {
    const int threads = 256;
    int device, processors, blocks;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk, threads, 0);
    walk<<<processors * blocks, threads>>>(next, out, steps, n);
}
