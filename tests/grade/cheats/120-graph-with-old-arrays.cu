// lab: vector-add
// expect: fail correct
// A graph is kept for each n, with the arrays of its first call.
#include <map>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static std::map<int, cudaGraphExec_t> kept;
    cudaGraphExec_t &e = kept[n];
    if (!e) {
        cudaGraph_t g;
        cudaGraphNode_t node;
        cudaGraphCreate(&g, 0);
        void *args[] = {&a, &b, &c, &n};
        cudaKernelNodeParams p = {};
        p.func = (void *)add;
        p.gridDim = dim3((n + 255) / 256);
        p.blockDim = dim3(256);
        p.kernelParams = args;
        cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
        cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, 0);
    cudaStreamSynchronize(0);
}
