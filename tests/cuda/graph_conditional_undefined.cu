// A condition without a default is undefined at the start of each launch: here it is what the launch before left, and reading it
// is found, once a launch. A handle that is none is found too.
// sim only
// expect: 1 1
// expect: 2 1
// expect: cudaErrorLaunchFailure
// finding: trap
// finding: uninit
// stderr: reads a condition that nothing has set in this launch of the graph
// stderr: create its handle with cudaGraphCondAssignDefault, or let a kernel before the node call cudaGraphSetConditional (1)
// stderr: calls cudaGraphSetConditional(0x3039, 1)
#include "common.h"
__global__ void keep(cudaGraphConditionalHandle h, int *p) {
    *p += 1;
    cudaGraphSetConditional(h, 1);
}
__global__ void once(int *p) { *p += 1; }
int main() {
    int *d, got[2];
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    CK(cudaMalloc(&d, 8)), CK(cudaMemset(d, 0, 8));
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional}, k = {cudaGraphNodeTypeKernel};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeIf, p.conditional.size = 1;
    CK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    int *second = d + 1;
    void *first[] = {&h, &d}, *inside[] = {&second};
    k.kernel.func = (void *)keep, k.kernel.gridDim = 1, k.kernel.blockDim = 1, k.kernel.kernelParams = first;
    CK(cudaGraphAddNode(&n, g, &n, NULL, 1, &k));
    k.kernel.func = (void *)once, k.kernel.kernelParams = inside;
    CK(cudaGraphAddNode(&n, p.conditional.phGraph_out[0], NULL, NULL, 0, &k));
    CK(cudaGraphInstantiate(&x, g, 0));
    keep<<<1, 1>>>(h, d); // not in this launch of the graph
    CK(cudaDeviceSynchronize()), CK(cudaMemset(d, 0, 8));
    CK(cudaGraphLaunch(x, 0)), CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got, d, 8, cudaMemcpyDeviceToHost));
    printf("%d %d\n", got[0], got[1]);
    // behind a kernel that sets it, it is defined
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
    k.kernel.func = (void *)keep, k.kernel.kernelParams = first;
    CK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &k));
    p.conditional.handle = h;
    CK(cudaGraphAddNode(&n, g, &n, NULL, 1, &p));
    CK(cudaGraphInstantiate(&x, g, 0));
    CK(cudaGraphLaunch(x, 0)), CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got, d, 8, cudaMemcpyDeviceToHost));
    printf("%d %d\n", got[0], got[1]);
    keep<<<1, 1>>>(12345, d);
    NAME(cudaDeviceSynchronize());
}
