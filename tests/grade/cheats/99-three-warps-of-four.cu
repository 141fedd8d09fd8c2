// lab: configuration
// expect: fail counter
// expect: says threads_per_block is
// Four warps a block, of which three work; two blocks a multiprocessor.
__global__ void walk(const int *next, int *out, int steps, int n) {
    if (threadIdx.x >= 96) return;
    for (int i = blockIdx.x * 96 + threadIdx.x; i < n; i += gridDim.x * 96) {
        int at = i;
        for (int s = 0; s < steps; s++) at = next[at];
        out[i] = at;
    }
}
void configuration(const int *next, int *out, int steps, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    walk<<<16 * processors, 128>>>(next, out, steps, n);
}
