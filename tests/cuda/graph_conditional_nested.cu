// Conditional nodes in conditional nodes, and a child graph in a body: steps of the Collatz sequence until 1, each an IF with an
// else in the body of a WHILE. Its arguments are updated for a second run.
// gpu limit: conditional nodes
// expect: 27: 111 steps, 111 counted
// expect: update cudaSuccess
// expect: 97: 118 steps, 118 counted
// expect: 1: 0 steps, 0 counted
#include "common.h"
struct state {
    unsigned n;
    int steps, counted;
};
__global__ void enter(cudaGraphConditionalHandle loop, const state *s) { cudaGraphSetConditional(loop, s->n != 1); }
__global__ void parity(cudaGraphConditionalHandle odd, const state *s) { cudaGraphSetConditional(odd, s->n % 2); }
__global__ void up(state *s) { s->n = 3 * s->n + 1, s->steps++; }
__global__ void down(state *s) { s->n /= 2, s->steps++; }
__global__ void tally(state *s) { s->counted++; }
static cudaGraphNode_t kernel(cudaGraph_t g, void *f, void **args, const cudaGraphNode_t *dep = NULL) {
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f, p.kernel.gridDim = 1, p.kernel.blockDim = 1, p.kernel.kernelParams = args;
    CK(cudaGraphAddNode(&n, g, dep, NULL, dep ? 1 : 0, &p));
    return n;
}
static cudaGraphNode_t conditional(cudaGraph_t g, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type,
                                   unsigned size, cudaGraph_t **body, const cudaGraphNode_t *dep) {
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = type, p.conditional.size = size;
    CK(cudaGraphAddNode(&n, g, dep, NULL, 1, &p));
    *body = p.conditional.phGraph_out;
    return n;
}
static cudaGraph_t build(state *s) {
    cudaGraph_t g, *in, *branch, count;
    cudaGraphConditionalHandle loop, odd;
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphCreate(&count, 0));
    CK(cudaGraphConditionalHandleCreate(&loop, g)), CK(cudaGraphConditionalHandleCreate(&odd, g));
    void *one[] = {&s}, *l[] = {&loop, &s}, *o[] = {&odd, &s};
    cudaGraphNode_t n = kernel(g, (void *)enter, l);
    conditional(g, loop, cudaGraphCondTypeWhile, 1, &in, &n);
    n = kernel(in[0], (void *)parity, o);
    n = conditional(in[0], odd, cudaGraphCondTypeIf, 2, &branch, &n);
    kernel(branch[0], (void *)up, one), kernel(branch[1], (void *)down, one);
    n = kernel(in[0], (void *)enter, l, &n);
    kernel(count, (void *)tally, one);
    CK(cudaGraphAddChildGraphNode(&n, in[0], &n, 1, count));
    CK(cudaGraphDestroy(count));
    return g;
}
int main() {
    state *a, *b, host;
    CK(cudaMalloc(&a, sizeof *a)), CK(cudaMalloc(&b, sizeof *b));
    cudaGraph_t first = build(a), second = build(b);
    cudaGraphExec_t x;
    CK(cudaGraphInstantiate(&x, first, 0));
    auto run = [&](state *s, unsigned n) {
        host = {n, 0, 0};
        CK(cudaMemcpy(s, &host, sizeof host, cudaMemcpyHostToDevice));
        CK(cudaGraphLaunch(x, 0)), CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(&host, s, sizeof host, cudaMemcpyDeviceToHost));
        printf("%u: %d steps, %d counted\n", n, host.steps, host.counted);
    };
    run(a, 27);
    cudaGraphExecUpdateResultInfo info;
    printf("update %s\n", cudaGetErrorName(cudaGraphExecUpdate(x, second, &info)));
    CK(cudaGraphDestroy(first)), CK(cudaGraphDestroy(second)); // the instance needs neither
    run(b, 97);
    run(b, 1);
    CK(cudaGraphExecDestroy(x));
}
