// lab: churn
// expect: fail correct
// The steps lie in the body of a conditional node, without edges.
#include <cstdio>
const int BLOCK = 256;
__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    to[i] = (from[i > 0 ? i - 1 : 0] + from[i] + from[i < n - 1 ? i + 1 : i]) / 3.0f;
}
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
static void add(cudaGraph_t g, void *f, int blocks, void **args) {
    cudaGraphNode_t x;
    cudaKernelNodeParams p = {};
    p.func = f;
    p.gridDim = blocks;
    p.blockDim = BLOCK;
    p.kernelParams = args;
    cudaGraphAddKernelNode(&x, g, nullptr, 0, &p);
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    float *scratch;
    cudaMalloc(&scratch, n * 4);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle h;
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeConditional;
    c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeIf;
    c.conditional.size = 1;
    cudaGraphNode_t x;
#if CUDART_VERSION >= 13000
    cudaGraphAddNode(&x, g, nullptr, nullptr, 0, &c);
#else
    cudaGraphAddNode(&x, g, nullptr, 0, &c);
#endif
    cudaGraph_t body = c.conditional.phGraph_out[0];
    void *a0[] = {&in, &out, &n}, *a1[] = {&out, &scratch, &n}, *a2[] = {&scratch, &out, &n};
    add(body, (void *)copy, blocks, a0);
    for (int s = 0; s < steps; s++) {
        add(body, (void *)copy, blocks, a1);
        add(body, (void *)smooth, blocks, a2);
    }
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaFree(scratch);
}
