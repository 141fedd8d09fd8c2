// What the documentation does not allow is refused: contents of bodies, when the graph is instantiated; uses of graphs that have
// conditional nodes; handles and sizes. All as an H200 does it (driver 580).
// gpu limit: conditional nodes
// expect: host node: ok, cudaErrorInvalidValue
// expect: event node: ok, cudaErrorInvalidValue
// expect: event wait: ok, cudaErrorInvalidValue
// expect: allocation: ok, cudaErrorInvalidValue
// expect: copy from ordinary memory: ok, cudaErrorInvalidValue
// expect: copy to an array: ok, cudaErrorInvalidValue
// expect: child with a host node: ok, cudaErrorInvalidValue
// expect: host function in a capture: ok, cudaErrorInvalidValue
// expect: copy from page-locked memory: ok, cudaSuccess
// expect: memset: ok, cudaSuccess
// expect: empty node: ok, cudaSuccess
// expect: nothing: ok, cudaSuccess
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
/* A graph with an IF node, one work in its body, and whether the graph can be instantiated. */
template <class F> static void inside(const char *what, F put) {
    cudaGraph_t g, *body;
    cudaGraphConditionalHandle h;
    cudaGraphExec_t x;
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CK(add(g, h, cudaGraphCondTypeIf, 1, &body));
    cudaError_t added = put(body[0]);
    cudaGetLastError();
    cudaError_t made = cudaGraphInstantiate(&x, g, 0);
    printf("%s: %s, %s\n", what, added ? "refused" : "ok", cudaGetErrorName(made));
    cudaGetLastError();
    if (!made) CK(cudaGraphExecDestroy(x));
    CK(cudaGraphDestroy(g));
}

static void bodies() {
    int *d, *pinned, ordinary = 1;
    cudaEvent_t event;
    cudaStream_t s;
    cudaArray_t array;
    cudaGraphNode_t n;
    cudaHostNodeParams host = {nothing, NULL};
    CK(cudaMalloc(&d, 64)), CK(cudaMallocHost(&pinned, 16)), CK(cudaStreamCreate(&s)), CK(cudaEventCreate(&event));
    CK(cudaEventRecord(event, s));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CK(cudaMallocArray(&array, &format, 4, 0));
    inside("host node", [&](cudaGraph_t b) { return cudaGraphAddHostNode(&n, b, NULL, 0, &host); });
    inside("event node", [&](cudaGraph_t b) { return cudaGraphAddEventRecordNode(&n, b, NULL, 0, event); });
    inside("event wait", [&](cudaGraph_t b) { return cudaGraphAddEventWaitNode(&n, b, NULL, 0, event); });
    inside("allocation", [&](cudaGraph_t b) {
        cudaMemAllocNodeParams alloc = {};
        alloc.poolProps.allocType = cudaMemAllocationTypePinned, alloc.poolProps.location.type = cudaMemLocationTypeDevice;
        alloc.bytesize = 64;
        return cudaGraphAddMemAllocNode(&n, b, NULL, 0, &alloc);
    });
    inside("copy from ordinary memory", [&](cudaGraph_t b) {
        return cudaGraphAddMemcpyNode1D(&n, b, NULL, 0, d, &ordinary, 4, cudaMemcpyHostToDevice);
    });
    inside("copy to an array", [&](cudaGraph_t b) {
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(d, 16, 16, 1), copy.dstArray = array;
        copy.extent = make_cudaExtent(4, 1, 1), copy.kind = cudaMemcpyDeviceToDevice;
        return cudaGraphAddMemcpyNode(&n, b, NULL, 0, &copy);
    });
    inside("child with a host node", [&](cudaGraph_t b) {
        cudaGraph_t child;
        CK(cudaGraphCreate(&child, 0)), CK(cudaGraphAddHostNode(&n, child, NULL, 0, &host));
        cudaError_t e = cudaGraphAddChildGraphNode(&n, b, NULL, 0, child);
        CK(cudaGraphDestroy(child));
        return e;
    });
    inside("host function in a capture", [&](cudaGraph_t b) {
        cudaGraph_t same;
        CK(cudaStreamBeginCaptureToGraph(s, b, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
        cudaError_t e = cudaLaunchHostFunc(s, nothing, NULL), end = cudaStreamEndCapture(s, &same);
        return e ? e : end;
    });
    inside("copy from page-locked memory", [&](cudaGraph_t b) {
        return cudaGraphAddMemcpyNode1D(&n, b, NULL, 0, d, pinned, 4, cudaMemcpyHostToDevice);
    });
    inside("memset", [&](cudaGraph_t b) {
        cudaMemsetParams m = {d, 0, 1, 4, 4, 1};
        return cudaGraphAddMemsetNode(&n, b, NULL, 0, &m);
    });
    inside("empty node", [&](cudaGraph_t b) { return cudaGraphAddEmptyNode(&n, b, NULL, 0); });
    inside("nothing", [&](cudaGraph_t) { return cudaSuccess; });
    CK(cudaFreeArray(array)), CK(cudaEventDestroy(event)), CK(cudaStreamDestroy(s)), CK(cudaFree(d)), CK(cudaFreeHost(pinned));
}

int main() {
    bodies();
    int *d, got;
    cudaGraph_t g, other, result, *body, *unused;
    cudaGraphNode_t n;
    cudaGraphExec_t x, y;
    cudaGraphConditionalHandle h, spare;
    cudaStream_t s;
    CK(cudaMalloc(&d, 16)), CK(cudaStreamCreate(&s)), CK(cudaMemset(d, 0, 16));
    CK(cudaGraphCreate(&g, 0)), CK(cudaGraphCreate(&other, 0));
    CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CK(add(g, h, cudaGraphCondTypeIf, 1, &body));

    void *args[] = {&d};
    cudaKernelNodeParams k = {};
    k.func = (void *)count, k.gridDim = 1, k.blockDim = 1, k.kernelParams = args;
    CK(cudaGraphAddKernelNode(&n, body[0], NULL, 0, &k));

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
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphDestroy(g)), CK(cudaGraphDestroy(other));
}
