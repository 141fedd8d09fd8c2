// lab: vector-add
// expect: pass
// A graph inside a graph inside a graph does the work.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaGraph_t graph[3];
    cudaGraphNode_t node;
    for (cudaGraph_t &g : graph) cudaGraphCreate(&g, 0);
    void *arguments[] = {&a, &b, &c, &n};
    cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3((n + 255) / 256);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph[0], nullptr, 0, &p);
    cudaGraphAddChildGraphNode(&node, graph[1], nullptr, 0, graph[0]);
    cudaGraphAddChildGraphNode(&node, graph[2], nullptr, 0, graph[1]);
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, graph[2], 0);
    cudaGraphLaunch(x, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    for (cudaGraph_t g : graph) cudaGraphDestroy(g);
}
