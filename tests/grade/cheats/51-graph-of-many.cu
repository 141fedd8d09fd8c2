// lab: churn
// expect: fail correct
// A graph of 2,100 nodes: none has an edge.
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
__global__ void nothing() {}
static cudaGraphNode_t add(cudaGraph_t g, void *f, int blocks, void **args) {
    cudaGraphNode_t x;
    cudaKernelNodeParams p = {};
    p.func = f;
    p.gridDim = blocks;
    p.blockDim = BLOCK;
    p.kernelParams = args;
    cudaGraphAddKernelNode(&x, g, nullptr, 0, &p);
    return x;
}
void churn(const float *in, float *out, int n, int steps) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    float *scratch;
    cudaMalloc(&scratch, n * 4);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphCreate(&g, 0);
    void *a0[] = {&in, &out, &n}, *a1[] = {&out, &scratch, &n}, *a2[] = {&scratch, &out, &n};
    add(g, (void *)copy, blocks, a0);
    for (int s = 0; s < steps; s++) {
        add(g, (void *)copy, blocks, a1);
        add(g, (void *)smooth, blocks, a2);
    }
    for (int k = 0; k < 2060; k++)
        add(g, (void *)nothing, 1, nullptr);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaFree(scratch);
}
