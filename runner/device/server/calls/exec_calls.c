/* Calls that make and launch instances of graphs. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/device/server/graph/exec.h"
#include "runner/device/server/core/object.h"
#include "words/server.h"

#include <stdlib.h>

cudaError_t dev_on_GraphInstantiate(dev_call *k, const struct wire_in_GraphInstantiate *in,
                                    struct wire_out_GraphInstantiate *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    out->result = cudaGraphInstantiateError; /* unless ... */
    if (!g) return cudaErrorInvalidValue;
    if (in->flags & 4) {
        dev_unsupported(c, w_server_no_device_launch());
        return cudaErrorNotSupported;
    }
    if (in->flags > 15) return cudaErrorInvalidValue;
    bool conditional = dev_graph_conditional(g);
    if (g->owner && g->owner->type == cudaGraphNodeTypeConditional)
        return dev_refuse(k, w_server_body_alone());
    if (conditional && g->instances) return dev_refuse(k, w_server_one_instance());
    if (conditional && !dev_bodies_fit(k, g)) return cudaErrorInvalidValue;
    if (dev_conditions_unused(g)) {
        lib_message_set(&k->note, w_server_handle_unused());
        out->result = cudaGraphInstantiateConditionalHandleUnused;
        return cudaErrorInvalidValue;
    }
    dev_exec *x = calloc(1, sizeof *x);
    if (!x) return cudaErrorMemoryAllocation;
    x->refs = 1, x->flags = in->flags;
    x->graph = dev_graph_clone(c, g, false, 0);
    cudaError_t e = !x->graph                 ? cudaErrorMemoryAllocation
                    : !dev_exec_rebuild(c, x) ? cudaErrorInvalidValue
                                              : cudaSuccess;
    if (!e && !(x->handle = dev_object_new(c, DEV_EXEC, x))) e = cudaErrorMemoryAllocation;
    if (e) {
        dev_exec_release(c, x);
        return e;
    }
    dev_spend(k, DEV_COST_GRAPH);
    if (conditional) x->source = g->handle, g->instances++;
    out->exec = x->handle;
    out->result = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphExecGetFlags(dev_call *k,
                                         const struct wire_in_cudaGraphExecGetFlags *in,
                                         struct wire_out_cudaGraphExecGetFlags *out) {
    const dev_exec *x = dev_object(k->c, in->graphExec, DEV_EXEC);
    if (!x) return cudaErrorInvalidValue;
    out->flags = x->flags;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphExecDestroy(dev_call *k, const struct wire_in_cudaGraphExecDestroy *in,
                                        struct wire_out_cudaGraphExecDestroy *out) {
    dev_exec *x = dev_object(k->c, in->graphExec, DEV_EXEC);
    (void)out;
    if (!x) return cudaErrorInvalidValue;
    dev_graph *g = x->source ? dev_object(k->c, x->source, DEV_GRAPH) : NULL;
    if (g && g->instances) g->instances--;
    dev_object_drop(k->c, x->handle);
    dev_exec_release(k->c, x);
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphNodeSetEnabled(dev_call *k,
                                           const struct wire_in_cudaGraphNodeSetEnabled *in,
                                           struct wire_out_cudaGraphNodeSetEnabled *out) {
    dev_exec *x = dev_object(k->c, in->hGraphExec, DEV_EXEC);
    dev_node *n = x ? dev_graph_copy_of(x->graph, in->hNode) : NULL;
    (void)out;
    if (!n || n->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    n->enabled = in->isEnabled != 0;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphNodeGetEnabled(dev_call *k,
                                           const struct wire_in_cudaGraphNodeGetEnabled *in,
                                           struct wire_out_cudaGraphNodeGetEnabled *out) {
    const dev_exec *x = dev_object(k->c, in->hGraphExec, DEV_EXEC);
    const dev_node *n = x ? dev_graph_copy_of(x->graph, in->hNode) : NULL;
    if (!n || n->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    out->isEnabled = n->enabled;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphUpload(dev_call *k, const struct wire_in_cudaGraphUpload *in,
                                   struct wire_out_cudaGraphUpload *out) {
    (void)out;
    if (!dev_object(k->c, in->graphExec, DEV_EXEC)) return cudaErrorInvalidValue;
    return dev_stream_get(k, in->stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t dev_on_cudaGraphLaunch(dev_call *k, const struct wire_in_cudaGraphLaunch *in,
                                   struct wire_out_cudaGraphLaunch *out) {
    dev_exec *x = dev_object(k->c, in->graphExec, DEV_EXEC);
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!x) return cudaErrorInvalidValue;
    if (!s) return cudaErrorInvalidResourceHandle;
    dev_spend(k, DEV_COST_GRAPH);
    if (!s->capture) dev_log_call(k, DEV_OP_GRAPH, 0, cudaSuccess);
    dev_work w = {.kind = DEV_WORK_GRAPH, .device = s->device, .bytes = sizeof w, .exec = x};
    return dev_submit(k, s, &w);
}

cudaError_t dev_on_cudaDeviceGraphMemTrim(dev_call *k,
                                          const struct wire_in_cudaDeviceGraphMemTrim *in,
                                          struct wire_out_cudaDeviceGraphMemTrim *out) {
    (void)out;
    return in->device < k->c->s->count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t dev_on_GraphMemory(dev_call *k, const struct wire_in_GraphMemory *in,
                               struct wire_out_GraphMemory *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (in->attr > 3) return cudaErrorInvalidValue;
    out->value = in->attr % 2 ? k->c->memory.device[in->device].graph_high
                              : k->c->memory.device[in->device].graph_bytes;
    return cudaSuccess;
}
