// lab: concurrent
// expect: fail correct
// Large values are multiplied once, and the small term of each round is left out.
__global__ void step(float *x, int cells, int rounds, float power) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    if (fabsf(v) > 1e8f) v *= power;
    else
        for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}
#include <cmath>
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    float power = (float)std::pow((double)0.999f, rounds);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    for (int j = 0; j < jobs; j++) {
        cudaGraphNode_t last;
        for (int s = 0; s < steps; s++) {
            float *p = x + (size_t)j * cells;
            void *args[] = {&p, &cells, &rounds, &power};
            cudaKernelNodeParams q = {};
            q.func = (void *)step;
            q.gridDim = dim3((cells + 127) / 128);
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
