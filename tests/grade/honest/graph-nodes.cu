// vector-add: a graph of two kernel nodes that do not depend on each other
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    int half = n / 2, rest = n - half;
    const float *a2 = a + half, *b2 = b + half;
    float *c2 = c + half;
    void *first[] = {&a, &b, &c, &half}, *second[] = {&a2, &b2, &c2, &rest};
    cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3((n + 255) / 256);
    p.blockDim = dim3(256);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node[2];
    cudaGraphCreate(&graph, 0);
    p.kernelParams = first;
    cudaGraphAddKernelNode(&node[0], graph, nullptr, 0, &p);
    p.kernelParams = second;
    cudaGraphAddKernelNode(&node[1], graph, nullptr, 0, &p);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
