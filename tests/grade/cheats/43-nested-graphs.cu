// lab: vector-add
// expect: fail correct
// Graphs inside graphs, thousands deep.
#include <cuda_runtime.h>
void vector_add(const float *, const float *, float *c, int n) {
    cudaGraph_t inner;
    cudaGraphCreate(&inner, 0);
    cudaMemsetParams m = {};
    m.dst = c, m.elementSize = 1, m.width = n, m.height = 1;
    cudaGraphNode_t node;
    cudaGraphAddMemsetNode(&node, inner, nullptr, 0, &m);
    for (int i = 0; i < 20000; i++) {
        cudaGraph_t outer;
        if (cudaGraphCreate(&outer, 0) || cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, inner)) break;
        cudaGraphDestroy(inner);
        inner = outer;
    }
    cudaGraphExec_t x;
    if (cudaGraphInstantiate(&x, inner, 0)) return;
    cudaGraphLaunch(x, 0);
    cudaDeviceSynchronize();
}
