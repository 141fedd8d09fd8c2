// A graph inside a graph, clones, an empty node, removal of a node.
// expect: 13
// expect: 10
// expect: clone has 3, node found: 1
#include "common.h"
__global__ void add(int *p, int v) { *p += v; }
int main() {
    int *d, h, ten = 10, three = 3;
    cudaGraph_t inner, outer, copy;
    cudaGraphNode_t a, b, child, empty, found;
    cudaGraphExec_t x;
    CK(cudaMalloc(&d, 4));
    auto kernel = [&](cudaGraph_t g, cudaGraphNode_t *n, int *v, const cudaGraphNode_t *dep, size_t k) {
        void *args[] = {&d, v};
        cudaKernelNodeParams p = {};
        p.func = (void *)add, p.gridDim = 1, p.blockDim = 1, p.kernelParams = args;
        CK(cudaGraphAddKernelNode(n, g, dep, k, &p));
    };
    CK(cudaGraphCreate(&inner, 0)), CK(cudaGraphCreate(&outer, 0));
    kernel(inner, &a, &ten, NULL, 0);
    CK(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    CK(cudaGraphAddEmptyNode(&empty, outer, &child, 1));
    kernel(outer, &b, &three, &empty, 1);
    auto run = [&](cudaGraph_t g) {
        CK(cudaMemset(d, 0, 4)), CK(cudaGraphInstantiate(&x, g, 0)), CK(cudaGraphLaunch(x, 0));
        CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
        printf("%d\n", h);
        CK(cudaGraphExecDestroy(x));
    };
    run(outer);
    CK(cudaGraphClone(&copy, outer));
    CK(cudaGraphDestroyNode(b));
    run(outer);
    size_t n;
    CK(cudaGraphGetNodes(copy, NULL, &n));
    cudaError_t e = cudaGraphNodeFindInClone(&found, child, copy);
    printf("clone has %zu, node found: %d\n", n, e == cudaSuccess);
}
