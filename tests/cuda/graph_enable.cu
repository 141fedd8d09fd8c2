// Nodes of an instance switched off and on; memset and copy nodes changed.
// expect: 11
// expect: 1
// expect: enabled 0
// expect: 11
#include "common.h"
__global__ void add(int *p, int v) { *p += v; }
int main() {
    int *d, h, one = 1, ten = 10;
    cudaGraph_t g;
    cudaGraphNode_t zero, a, b;
    cudaGraphExec_t x;
    CK(cudaMalloc(&d, 4)), CK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = d, m.elementSize = 1, m.width = 4, m.height = 1;
    CK(cudaGraphAddMemsetNode(&zero, g, NULL, 0, &m));
    void *a1[] = {&d, &one}, *a2[] = {&d, &ten};
    cudaKernelNodeParams k = {};
    k.func = (void *)add, k.gridDim = 1, k.blockDim = 1, k.kernelParams = a1;
    CK(cudaGraphAddKernelNode(&a, g, &zero, 1, &k));
    k.kernelParams = a2;
    CK(cudaGraphAddKernelNode(&b, g, &a, 1, &k));
    CK(cudaGraphInstantiate(&x, g, 0));
    auto run = [&] {
        CK(cudaGraphLaunch(x, 0)), CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
        printf("%d\n", h);
    };
    unsigned on;
    run();
    CK(cudaGraphNodeSetEnabled(x, b, 0)), run();
    CK(cudaGraphNodeGetEnabled(x, b, &on)), printf("enabled %u\n", on);
    CK(cudaGraphNodeSetEnabled(x, b, 1)), run();
}
