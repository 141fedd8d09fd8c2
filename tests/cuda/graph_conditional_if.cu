// IF nodes: the body runs once when the condition is not 0, the second one when it is 0; a kernel upstream sets it. Without an
// else nothing runs. The handle's default is assigned at each launch, whatever the launch before set.
// gpu limit: conditional nodes
// expect: 3: then
// expect: 0: else
// expect: 1: then
// expect: alone 0: 100
// expect: alone 7: 101
// expect: launch 1: 1 2
// expect: launch 2: 1 2
#include "common.h"
__global__ void choose(cudaGraphConditionalHandle h, const unsigned *v) { cudaGraphSetConditional(h, *v); }
__global__ void put(int *p, int v) { *p = v; }
__global__ void add(int *p, int v) { *p += v; }
__global__ void clear(cudaGraphConditionalHandle h, int *p) {
    *p += 1;
    cudaGraphSetConditional(h, 0);
}
static cudaGraphNode_t kernel(cudaGraph_t g, void *f, void **args, const cudaGraphNode_t *dep = NULL) {
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f, p.kernel.gridDim = 1, p.kernel.blockDim = 1, p.kernel.kernelParams = args;
    CK(cudaGraphAddNode(&n, g, dep, NULL, dep ? 1 : 0, &p));
    return n;
}
static cudaGraphNode_t branch(cudaGraph_t g, cudaGraphConditionalHandle h, unsigned size, cudaGraph_t **body,
                              const cudaGraphNode_t *dep = NULL) {
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeIf, p.conditional.size = size;
    CK(cudaGraphAddNode(&n, g, dep, NULL, dep ? 1 : 0, &p));
    *body = p.conditional.phGraph_out;
    return n;
}
int main() {
    unsigned *v;
    int *d, got[2], one = 1, two = 2, hundred = 100;
    CK(cudaMalloc(&v, sizeof *v)), CK(cudaMalloc(&d, 2 * sizeof *d));
    auto run = [&](cudaGraphExec_t x, unsigned value) {
        CK(cudaMemcpy(v, &value, sizeof value, cudaMemcpyHostToDevice));
        CK(cudaGraphLaunch(x, 0)), CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    };
    cudaGraph_t g, *body;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    { // if and else
        CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
        void *set[] = {&h, &v}, *then[] = {&d, &one}, *other[] = {&d, &two};
        CK(cudaMemset(d, 0, 2 * sizeof *d));
        cudaGraphNode_t first = kernel(g, (void *)choose, set);
        branch(g, h, 2, &body, &first);
        kernel(body[0], (void *)put, then), kernel(body[1], (void *)put, other);
        CK(cudaGraphInstantiate(&x, g, 0));
        for (unsigned value : {3u, 0u, 1u}) {
            run(x, value);
            printf("%u: %s\n", value, got[0] == 1 ? "then" : got[0] == 2 ? "else" : "?");
        }
        CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
    }
    { // if alone; the node behind it waits for it either way
        CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g));
        void *set[] = {&h, &v}, *then[] = {&d, &one}, *last[] = {&d, &hundred};
        cudaGraphNode_t first = kernel(g, (void *)choose, set);
        cudaGraphNode_t node = branch(g, h, 1, &body, &first);
        kernel(body[0], (void *)add, then), kernel(g, (void *)add, last, &node);
        CK(cudaGraphInstantiate(&x, g, 0));
        for (unsigned value : {0u, 7u}) {
            CK(cudaMemset(d, 0, 2 * sizeof *d));
            run(x, value);
            printf("alone %u: %d\n", value, got[0]);
        }
        CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
    }
    { // the default is there again at the next launch
        CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
        int *second = d + 1;
        void *then[] = {&h, &d}, *last[] = {&second, &two};
        cudaGraphNode_t node = branch(g, h, 1, &body);
        kernel(body[0], (void *)clear, then), kernel(g, (void *)add, last, &node);
        CK(cudaGraphInstantiate(&x, g, 0));
        for (int launch = 1; launch <= 2; launch++) {
            CK(cudaMemset(d, 0, 2 * sizeof *d));
            run(x, 0);
            printf("launch %d: %d %d\n", launch, got[0], got[1]);
        }
        CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g));
    }
}
