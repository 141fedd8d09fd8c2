// A WHILE node whose condition nobody sets to 0: it ends at the limit of a launch, with a finding; the program hears of a timeout.
// sim only
// expect: cudaErrorLaunchTimeout
// finding: budget
// stderr: a WHILE node of a graph had run its body
// stderr: does a kernel of the body call cudaGraphSetConditional(handle, 0)?
#include "common.h"
int main() {
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
    CK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p)); // the body is empty
    CK(cudaGraphInstantiate(&x, g, 0)), CK(cudaGraphLaunch(x, 0));
    NAME(cudaDeviceSynchronize());
}
