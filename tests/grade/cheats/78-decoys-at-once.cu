// lab: concurrent
// expect: fail counter
// expect: says kernels_at_once_avg is 1
// One launch does all of the work; kernels that do nothing run beside each other.
__global__ void all(float *x, int cells, int rounds) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
        float v = x[i];
        for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
        x[i] = v;
    }
}
__global__ void decoy(float *scratch, int rounds) {
    float v = threadIdx.x;
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f;
    scratch[threadIdx.x] = v;
}
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    static float *scratch;
    if (!scratch) cudaMalloc(&scratch, 5 * 512);
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    for (int k = 0; k < 5; k++) {
        cudaGraphNode_t node;
        cudaKernelNodeParams p = {};
        float *to = scratch + k * 128;
        void *args[] = {&to, &rounds};
        p.func = (void *)decoy, p.gridDim = 1, p.blockDim = 128, p.kernelParams = args;
        cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    }
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    all<<<(jobs * cells + 127) / 128, 128>>>(x, jobs * cells, rounds * steps);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
