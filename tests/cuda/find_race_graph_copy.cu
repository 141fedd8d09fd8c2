// sim only
// expect: done
// finding: race
// A graph copies from the program's own memory what another node clears: no edge orders them.
#include "common.h"
int main() {
    enum { N = 1000 };
    static int host[N];
    int *x;
    cudaGraph_t g;
    cudaGraphNode_t copy, clear;
    cudaGraphExec_t exec;
    CK(cudaMalloc(&x, sizeof host));
    CK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = x, m.elementSize = 4, m.width = N, m.height = 1, m.value = 0;
    CK(cudaGraphAddMemsetNode(&clear, g, NULL, 0, &m));
    CK(cudaGraphAddMemcpyNode1D(&copy, g, NULL, 0, x, host, sizeof host, cudaMemcpyHostToDevice));
    CK(cudaGraphInstantiate(&exec, g, 0));
    CK(cudaGraphLaunch(exec, 0));
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
