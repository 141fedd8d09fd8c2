// lab: vector-add
// expect: pass
// A graph adds, and copies what is of interest to the host at its end.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    float first;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t sum, look;
    cudaGraphCreate(&g, 0);
    void *args[] = {&a, &b, &c, &n};
    cudaKernelNodeParams p = {};
    p.func = (void *)add, p.gridDim = dim3((n + 255) / 256), p.blockDim = dim3(256),
    p.kernelParams = args;
    cudaGraphAddKernelNode(&sum, g, nullptr, 0, &p);
    cudaGraphAddMemcpyNode1D(&look, g, &sum, 1, &first, c, sizeof first, cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
}
