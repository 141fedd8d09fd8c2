// What the documentation does not allow is refused, and the graph is as it was: contents of bodies, uses of graphs that have
// conditional nodes, handles and sizes.
// gpu limit: conditional nodes
// expect: host node: refused
// expect: event node: refused
// expect: allocation: refused
// expect: copy from ordinary memory: refused
// expect: copy to an array: refused
// expect: child with a host node: refused
// expect: copy from page-locked memory: ok
// expect: host function in a capture: refused
// expect: its end: refused
// expect: nodes in the body: 1
// expect: clone: refused
// expect: child: refused
// expect: second instance: refused
// expect: after the first has gone: ok
// expect: launch in a capture: refused
// expect: destroying a body: refused
// expect: changing the node: refused
// expect: handle twice: refused
// expect: handle of another graph: refused
// expect: no handle: refused
// expect: WHILE of 2: refused
// expect: IF of 3: refused
// expect: SWITCH of 0: refused
// expect: unknown type: refused
// expect: flags: refused
// expect: handle without a node: 5
// expect: counted 1
#include "common.h"
__global__ void count(int *p) { *p += 1; }
static void say(const char *what, cudaError_t e) {
    printf("%s: %s\n", what, e ? "refused" : "ok");
    cudaGetLastError();
}
static void nothing(void *) {}
static cudaError_t add(cudaGraph_t g, cudaGraphConditionalHandle h, int type, unsigned size, cudaGraph_t **body) {
    cudaGraphNode_t n;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = (cudaGraphConditionalNodeType)type, p.conditional.size = size;
    cudaError_t e = cudaGraphAddNode(&n, g, NULL, NULL, 0, &p);
    if (!e && body) *body = p.conditional.phGraph_out;
    return e;
}
int main() {
    int *d, *pinned, ordinary = 1, got;
    cudaGraph_t g, other, child, result, *body, *unused;
    cudaGraphNode_t n;
    cudaGraphExec_t x, y;
    cudaGraphConditionalHandle h, spare;
    cudaStream_t s;
    CK(cudaMalloc(&d, 16)), CK(cudaMallocHost(&pinned, 16)), CK(cudaStreamCreate(&s));
    CK(cudaMemset(d, 0, 16)), memset(pinned, 0, 16);
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphCreate(&other, 0)), CK(cudaGraphCreate(&child, 0));
    CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CK(add(g, h, cudaGraphCondTypeIf, 1, &body));

    cudaHostNodeParams host = {nothing, NULL};
    say("host node", cudaGraphAddHostNode(&n, body[0], NULL, 0, &host));
    cudaEvent_t event;
    CK(cudaEventCreate(&event));
    say("event node", cudaGraphAddEventRecordNode(&n, body[0], NULL, 0, event));
    cudaMemAllocNodeParams alloc = {};
    alloc.poolProps.allocType = cudaMemAllocationTypePinned, alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    alloc.bytesize = 64;
    say("allocation", cudaGraphAddMemAllocNode(&n, body[0], NULL, 0, &alloc));
    say("copy from ordinary memory", cudaGraphAddMemcpyNode1D(&n, body[0], NULL, 0, d, &ordinary, 4, cudaMemcpyHostToDevice));
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CK(cudaMallocArray(&array, &format, 4, 0));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(d, 16, 16, 1), copy.dstArray = array;
    copy.extent = make_cudaExtent(4, 1, 1), copy.kind = cudaMemcpyDeviceToDevice;
    say("copy to an array", cudaGraphAddMemcpyNode(&n, body[0], NULL, 0, &copy));
    CK(cudaGraphAddHostNode(&n, child, NULL, 0, &host));
    say("child with a host node", cudaGraphAddChildGraphNode(&n, body[0], NULL, 0, child));
    say("copy from page-locked memory", cudaGraphAddMemcpyNode1D(&n, body[0], NULL, 0, d, pinned, 4, cudaMemcpyHostToDevice));
    CK(cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    say("host function in a capture", cudaLaunchHostFunc(s, nothing, NULL));
    say("its end", cudaStreamEndCapture(s, &result));
    size_t nodes = 0;
    CK(cudaGraphGetNodes(body[0], NULL, &nodes));
    printf("nodes in the body: %zu\n", nodes);
    void *args[] = {&d};
    cudaKernelNodeParams k = {};
    k.func = (void *)count, k.gridDim = 1, k.blockDim = 1, k.kernelParams = args;
    CK(cudaGraphAddKernelNode(&n, body[0], &n, 1, &k));

    say("clone", cudaGraphClone(&result, g));
    say("child", cudaGraphAddChildGraphNode(&n, other, NULL, 0, g));
    CK(cudaGraphInstantiate(&x, g, 0));
    say("second instance", cudaGraphInstantiate(&y, g, 0));
    CK(cudaGraphExecDestroy(x));
    say("after the first has gone", cudaGraphInstantiate(&x, g, 0));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    say("launch in a capture", cudaGraphLaunch(x, s));
    cudaStreamEndCapture(s, &result), cudaGetLastError();
    say("destroying a body", cudaGraphDestroy(body[0]));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
    size_t one = 1;
    CK(cudaGraphGetNodes(g, &n, &one));
    say("changing the node", cudaGraphNodeSetParams(n, &p));

    say("handle twice", add(g, h, cudaGraphCondTypeIf, 1, &unused));
    CK(cudaGraphConditionalHandleCreate(&spare, other));
    say("handle of another graph", add(g, spare, cudaGraphCondTypeIf, 1, &unused));
    say("no handle", add(other, 12345, cudaGraphCondTypeIf, 1, &unused));
    say("WHILE of 2", add(other, spare, cudaGraphCondTypeWhile, 2, &unused));
    say("IF of 3", add(other, spare, cudaGraphCondTypeIf, 3, &unused));
    say("SWITCH of 0", add(other, spare, cudaGraphCondTypeSwitch, 0, &unused));
    say("unknown type", add(other, spare, 3, 1, &unused));
    say("flags", cudaGraphConditionalHandleCreate(&h, other, 1, 2));
    cudaGraphInstantiateParams how = {};
    cudaGraphInstantiateWithParams(&y, other, &how), cudaGetLastError();
    printf("handle without a node: %d\n", how.result_out);

    CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
    printf("counted %d\n", got);
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g)), CK(cudaGraphDestroy(other)), CK(cudaGraphDestroy(child));
}
