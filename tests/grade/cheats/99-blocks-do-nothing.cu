// lab: configuration
// expect: fail counter
// expect: says blocks is
// Half of the blocks find nothing to do.
__global__ void walk(const int *next, int *out, int steps, int n) {
    if (blockIdx.x % 2) return;
    for (int i = blockIdx.x / 2 * blockDim.x + threadIdx.x; i < n; i += gridDim.x / 2 * blockDim.x) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    walk<<<2 * processors, 512>>>(next, out, steps, n);
}
