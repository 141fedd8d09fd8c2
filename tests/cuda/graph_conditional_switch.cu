// SWITCH nodes: body n runs when the condition is n, none when there is no such body.
// gpu limit: conditional nodes
// expect: 0: 1 0 0 0 0
// expect: 1: 0 1 0 0 0
// expect: 4: 0 0 0 0 1
// expect: 5: 0 0 0 0 0
// expect: 4294967295: 0 0 0 0 0
#include "common.h"
__global__ void choose(cudaGraphConditionalHandle h, const unsigned *v) { cudaGraphSetConditional(h, *v); }
__global__ void mark(int *p) { *p += 1; }
int main() {
    unsigned *v;
    int *d, got[5];
    CK(cudaMalloc(&v, sizeof *v)), CK(cudaMalloc(&d, sizeof got));
    cudaGraph_t g;
    cudaGraphNode_t first, node, n;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
    void *args[] = {&h, &v};
    cudaGraphNodeParams k = {cudaGraphNodeTypeKernel}, p = {cudaGraphNodeTypeConditional};
    k.kernel.func = (void *)choose, k.kernel.gridDim = 1, k.kernel.blockDim = 1, k.kernel.kernelParams = args;
    CK(cudaGraphAddNode(&first, g, NULL, NULL, 0, &k));
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeSwitch, p.conditional.size = 5;
    CK(cudaGraphAddNode(&node, g, &first, NULL, 1, &p));
    for (int i = 0; i < 5; i++) {
        int *at = d + i;
        void *one[] = {&at};
        k.kernel.func = (void *)mark, k.kernel.kernelParams = one;
        CK(cudaGraphAddNode(&n, p.conditional.phGraph_out[i], NULL, NULL, 0, &k));
    }
    CK(cudaGraphInstantiate(&x, g, 0));
    for (unsigned value : {0u, 1u, 4u, 5u, ~0u}) {
        CK(cudaMemset(d, 0, sizeof got));
        CK(cudaMemcpy(v, &value, sizeof value, cudaMemcpyHostToDevice));
        CK(cudaGraphLaunch(x, 0)), CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        printf("%u: %d %d %d %d %d\n", value, got[0], got[1], got[2], got[3], got[4]);
    }
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
}
