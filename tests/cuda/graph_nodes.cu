// A graph built node by node: kernels, a memset, copies, edges; then asked for.
// fast
// expect: nodes 5, edges 4, roots 1
// expect: types 2 0 0 0 1
// expect: 21 21 21 21
// expect: 21 21 21 21
#include "common.h"
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
int main() {
    int *d, h[4], one = 1, four = 4, sixteen = 16;
    CK(cudaMalloc(&d, 16));
    cudaGraph_t g;
    cudaGraphNode_t clear, a, b, c, back;
    CK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = d, m.elementSize = 4, m.width = 4, m.height = 1, m.value = 0;
    CK(cudaGraphAddMemsetNode(&clear, g, NULL, 0, &m));
    auto kernel = [&](cudaGraphNode_t *n, int *v, cudaGraphNode_t after) {
        void *args[] = {&d, v};
        cudaKernelNodeParams k = {};
        k.func = (void *)add, k.gridDim = 1, k.blockDim = 4, k.kernelParams = args;
        CK(cudaGraphAddKernelNode(n, g, &after, 1, &k));
    };
    kernel(&a, &one, clear), kernel(&b, &four, a), kernel(&c, &sixteen, b);
    CK(cudaGraphAddMemcpyNode1D(&back, g, &c, 1, h, d, 16, cudaMemcpyDeviceToHost));
    size_t n, e, r;
    CK(cudaGraphGetNodes(g, NULL, &n)), CK(cudaGraphGetEdges(g, NULL, NULL, NULL, &e)), CK(cudaGraphGetRootNodes(g, NULL, &r));
    printf("nodes %zu, edges %zu, roots %zu\ntypes", n, e, r);
    cudaGraphNode_t all[5];
    CK(cudaGraphGetNodes(g, all, &n));
    for (auto x : all) {
        cudaGraphNodeType t;
        CK(cudaGraphNodeGetType(x, &t));
        printf(" %d", t);
    }
    printf("\n");
    cudaGraphExec_t x;
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) {
        memset(h, 0, 16);
        CK(cudaGraphLaunch(x, 0)), CK(cudaStreamSynchronize(0));
        printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    }
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
}
