// WHILE nodes: the condition is looked at before the body and after each time it ran. The body is captured from a stream, has a
// memset and a copy in it, and one of its kernels counts down. A condition that is 0 at first: the body does not run.
// gpu limit: conditional nodes
// expect: 10 rounds, 10 copied
// expect: 1 rounds, 1 copied
// expect: 0 rounds, 0 copied
// expect: nodes in the body: 4
#include "common.h"
__global__ void check(cudaGraphConditionalHandle h, const int *left) { cudaGraphSetConditional(h, *left > 0); }
__global__ void body(cudaGraphConditionalHandle h, int *left, int *rounds, const int *scratch) {
    *rounds += 1 + *scratch; // the memset before it makes the scratch 0
    if (--*left == 0) cudaGraphSetConditional(h, 0);
}
__global__ void spoil(int *scratch) { *scratch = 1000; }
int main() {
    int *d; // left, rounds, scratch, copy
    CK(cudaMalloc(&d, 4 * sizeof *d));
    cudaGraph_t g, got;
    cudaGraphConditionalHandle h;
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    // The kernel before is captured as well, and the conditional node put behind it.
    CK(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    check<<<1, 1, 0, s>>>(h, d);
    CK(cudaStreamEndCapture(s, &got));
    cudaGraphNode_t first, loop;
    size_t n = 1;
    CK(cudaGraphGetNodes(g, &first, &n));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
    CK(cudaGraphAddNode(&loop, g, &first, NULL, 1, &p));
    cudaGraph_t inside = p.conditional.phGraph_out[0];
    CK(cudaStreamBeginCaptureToGraph(s, inside, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    CK(cudaMemsetAsync(d + 2, 0, sizeof *d, s));
    body<<<1, 1, 0, s>>>(h, d, d + 1, d + 2);
    spoil<<<1, 1, 0, s>>>(d + 2);
    CK(cudaMemcpyAsync(d + 3, d + 1, sizeof *d, cudaMemcpyDeviceToDevice, s));
    CK(cudaStreamEndCapture(s, &got));
    cudaGraphExec_t x;
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int left : {10, 1, 0}) {
        int to[4] = {left, 0, 0, 0};
        CK(cudaMemcpy(d, to, sizeof to, cudaMemcpyHostToDevice));
        CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
        CK(cudaMemcpy(to, d, sizeof to, cudaMemcpyDeviceToHost));
        printf("%d rounds, %d copied\n", to[1], to[3]);
    }
    n = 0;
    CK(cudaGraphGetNodes(inside, NULL, &n));
    printf("nodes in the body: %zu\n", n);
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
}
