// lab: concurrent
// expect: pass
// A branch of the graph for each pendulum, and one that counts for a report: nobody needs its number.
__global__ void step(float *x, int cells, int steps, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < steps * rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
__global__ void count(int *calls) { ++*calls; }
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    static int *calls;
    if (!calls) {
        cudaMalloc(&calls, 4);
        cudaMemset(calls, 0, 4);
    }
    cudaGraph_t g;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    void *one[] = {&calls};
    p.func = (void *)count, p.gridDim = 1, p.blockDim = 1, p.kernelParams = one;
    cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    for (int j = 0; j < jobs; j++) {
        float *mine = x + (size_t)j * cells;
        void *args[] = {&mine, &cells, &steps, &rounds};
        p.func = (void *)step, p.gridDim = (cells + 127) / 128, p.blockDim = 128, p.kernelParams = args;
        cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
    }
    cudaGraphExec_t e;
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
