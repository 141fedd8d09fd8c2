// Capture spreads to another stream through an event and comes back; then that stream may go.
// expect: nodes 4, edges 4
// expect: 1 2 103
#include "common.h"
__global__ void set(int *p, int v) { *p = v; }
__global__ void sum(int *p) { p[2] = p[0] + p[1] + 100; }
int main() {
    int *d, h[3];
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    CK(cudaMalloc(&d, 12)), CK(cudaStreamCreate(&s)), CK(cudaStreamCreate(&t)), CK(cudaEventCreate(&fork)), CK(cudaEventCreate(&join));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaMemsetAsync(d, 0, 12, s));
    CK(cudaEventRecord(fork, s)), CK(cudaStreamWaitEvent(t, fork));
    set<<<1, 1, 0, s>>>(d, 1);
    set<<<1, 1, 0, t>>>(d + 1, 2);
    CK(cudaEventRecord(join, t)), CK(cudaStreamWaitEvent(s, join));
    CK(cudaStreamDestroy(t));
    sum<<<1, 1, 0, s>>>(d);
    CK(cudaStreamEndCapture(s, &g));
    size_t n, e;
    CK(cudaGraphGetNodes(g, NULL, &n)), CK(cudaGraphGetEdges(g, NULL, NULL, NULL, &e));
    printf("nodes %zu, edges %zu\n", n, e);
    CK(cudaGraphInstantiate(&x, g, 0)), CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", h[0], h[1], h[2]);
}
