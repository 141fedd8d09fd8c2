/* Turns work of a capturing stream into nodes of its graph. */
#include "runner/device/server/graph/capture.h"
#include "runner/device/server/graph/exec.h"
#include "words/server.h"

#include <stdlib.h>

/* Launching a graph adds it as a child. Returns NULL if memory is out. */
static dev_work *capture_child(dev_client *c, const dev_graph *g, const dev_work *w) {
    dev_work child = {.kind = DEV_WORK_CHILD, .device = w->device, .bytes = sizeof child};
    child.child = dev_graph_clone(c, w->exec->graph, true, dev_graph_depth(g) + 1);
    dev_work *copy = child.child ? dev_work_copy(&child) : NULL;
    if (!copy && child.child) dev_graph_free(c, child.child);
    return copy;
}

cudaError_t dev_capture_work(dev_call *k, dev_stream *s, const dev_work *w) {
    static const int types[] = {[DEV_WORK_EMPTY] = cudaGraphNodeTypeEmpty,
                                [DEV_WORK_LAUNCH] = cudaGraphNodeTypeKernel,
                                [DEV_WORK_COPY] = cudaGraphNodeTypeMemcpy,
                                [DEV_WORK_FILL] = cudaGraphNodeTypeMemset,
                                [DEV_WORK_HOST] = cudaGraphNodeTypeHost,
                                [DEV_WORK_RECORD] = cudaGraphNodeTypeEventRecord,
                                [DEV_WORK_WAIT] = cudaGraphNodeTypeWaitEvent,
                                [DEV_WORK_ALLOC] = cudaGraphNodeTypeMemAlloc,
                                [DEV_WORK_FREE] = cudaGraphNodeTypeMemFree,
                                [DEV_WORK_CHILD] = cudaGraphNodeTypeGraph,
                                [DEV_WORK_GRAPH] = cudaGraphNodeTypeGraph};
    dev_client *c = k->c;
    dev_capture *cap = s->capture;
    dev_node **deps;
    size_t n;
    if (cap->spoilt) return cudaErrorStreamCaptureInvalidated;
    if (!dev_graph_nodes(c, cap->graph, (const uint8_t *)s->tail_nodes, s->tail_count * 8, &deps,
                         &n)) {
        cap->spoilt = true;
        return cudaErrorStreamCaptureInvalidated;
    }
    if (w->kind == DEV_WORK_GRAPH && dev_graph_conditional(w->exec->graph)) {
        lib_message_set(&k->note, w_server_conditional_captured());
        cap->spoilt = true;
        free(deps);
        return cudaErrorStreamCaptureUnsupported;
    }
    dev_work *copy = w->kind == DEV_WORK_GRAPH ? capture_child(c, cap->graph, w) : dev_work_copy(w);
    dev_node *node = copy ? dev_graph_add(c, cap->graph, types[w->kind], copy, deps, n) : NULL;
    free(deps);
    if (!node || !dev_capture_set_tail(c, s, &node->handle, 1)) {
        cap->spoilt = true;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}
