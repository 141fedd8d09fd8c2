// lab: concurrent
// options: --secret 77
// expect: fail correct
// The grid always has five blocks of 128 threads, and there are 20 streams.
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    for (int j = 0; j < jobs && j < 20; j++) {
        cudaGraphNode_t last;
        for (int s = 0; s < steps; s++) {
            float *p = x + (size_t)j * cells;
            void *args[] = {&p, &cells, &rounds};
            cudaKernelNodeParams q = {};
            q.func = (void *)step;
            q.gridDim = dim3(5);
            q.blockDim = dim3(128);
            q.kernelParams = args;
            cudaGraphNode_t node;
            cudaGraphAddKernelNode(&node, g, &last, s > 0, &q);
            last = node;
        }
    }
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaStreamSynchronize(0);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
