/* Calls that build graphs. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/exec.h"
#include "runner/device/server/core/object.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

cudaError_t dev_on_GraphCreate(dev_call *k, const struct wire_in_GraphCreate *in,
                               struct wire_out_GraphCreate *out) {
    dev_graph *g = dev_graph_new(k->c, true);
    (void)in;
    if (!g) return cudaErrorMemoryAllocation;
    out->graph = g->handle;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphDestroy(dev_call *k, const struct wire_in_cudaGraphDestroy *in,
                                    struct wire_out_cudaGraphDestroy *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    (void)out;
    if (!g) return cudaErrorInvalidValue;
    for (const dev_stream *s = c->streams.first; s; s = s->next)
        if (s->capture && s->capture->graph == g) return cudaErrorIllegalState;
    if (dev_graph_owned(g)) return cudaErrorInvalidValue;
    dev_graph_free(c, g);
    return cudaSuccess;
}

cudaError_t dev_on_GraphAdd(dev_call *k, const struct wire_in_GraphAdd *in,
                            struct wire_out_GraphAdd *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    dev_node **deps;
    size_t count;
    dev_work *w;
    if (!g || !dev_graph_nodes(c, g, k->span[0], k->span_bytes[0], &deps, &count))
        return cudaErrorInvalidValue;
    cudaError_t e = dev_node_parse(k, g, (int)in->type, k->span[1], k->span_bytes[1], &w);
    if (!e) {
        uint64_t address = w->kind == DEV_WORK_ALLOC ? w->alloc.address : 0;
        dev_node *n = dev_graph_add(c, g, (int)in->type, w, deps, count);
        if (n) out->node = n->handle, out->address = address;
        else e = cudaErrorMemoryAllocation;
        if (n && w->kind == DEV_WORK_CONDITIONAL) {
            uint64_t bodies[DEV_BODIES];
            for (uint32_t i = 0; i < w->conditional.size; i++)
                bodies[i] = w->conditional.bodies[i]->handle;
            e = dev_answer(k, bodies, w->conditional.size * sizeof *bodies);
        }
    }
    free(deps);
    return e;
}

cudaError_t dev_on_GraphNodeGet(dev_call *k, const struct wire_in_GraphNodeGet *in,
                                struct wire_out_GraphNodeGet *out) {
    const dev_node *n = dev_object(k->c, in->node, DEV_NODE);
    if (!n) return cudaErrorInvalidValue;
    const dev_work *w = n->work;
    out->type = (uint64_t)n->type;
    switch (w->kind) {
    case DEV_WORK_LAUNCH: {
        cudaError_t e = dev_answer(k, &w->launch.at, sizeof w->launch.at);
        return e ? e : dev_answer(k, w->params, w->launch.at.param_bytes);
    }
    case DEV_WORK_COPY: return dev_answer(k, &w->copy, sizeof w->copy);
    case DEV_WORK_FILL: return dev_answer(k, &w->fill, sizeof w->fill);
    case DEV_WORK_HOST:
        return dev_answer(k, &(wire_host){w->host.fn, w->host.data}, sizeof(wire_host));
    case DEV_WORK_CHILD: return dev_answer(k, &w->child->handle, 8);
    case DEV_WORK_RECORD:
    case DEV_WORK_WAIT: return dev_answer(k, &w->event.event->handle, 8);
    case DEV_WORK_ALLOC:
    case DEV_WORK_FREE: return dev_answer(k, &w->alloc, sizeof w->alloc);
    default: return cudaSuccess;
    }
}

cudaError_t dev_on_GraphNodeSet(dev_call *k, const struct wire_in_GraphNodeSet *in,
                                struct wire_out_GraphNodeSet *out) {
    dev_client *c = k->c;
    dev_exec *x = in->exec ? dev_object(c, in->exec, DEV_EXEC) : NULL;
    dev_node *n = in->exec ? NULL : dev_object(c, in->node, DEV_NODE);
    dev_work *w;
    (void)out;
    if (in->exec && !x) return cudaErrorInvalidValue;
    if (x) n = dev_graph_copy_of(x->graph, in->node);
    if (!n || n->type != (int)in->type) return cudaErrorInvalidValue;
    if (n->type == cudaGraphNodeTypeConditional)
        return dev_refuse(k, w_server_conditional_parameters());
    cudaError_t e = dev_node_parse(k, n->graph, n->type, k->span[0], k->span_bytes[0], &w);
    if (e) return e;
    if (x && w->kind == DEV_WORK_CHILD) x->stale = true;
    dev_node_replace(c, n, w);
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphDestroyNode(dev_call *k, const struct wire_in_cudaGraphDestroyNode *in,
                                        struct wire_out_cudaGraphDestroyNode *out) {
    dev_node *n = dev_object(k->c, in->node, DEV_NODE);
    (void)out;
    if (!n) return cudaErrorInvalidValue;
    if (n->work->kind == DEV_WORK_ALLOC || n->work->kind == DEV_WORK_FREE)
        return cudaErrorNotSupported;
    dev_graph *g = n->graph;
    for (size_t i = 0; i < g->count; i++) dev_node_drop_edge(k->c, g->nodes[i], n);
    memmove(g->nodes + n->index, g->nodes + n->index + 1,
            (g->count - n->index - 1) * sizeof(dev_node *));
    g->count--;
    for (size_t i = n->index; i < g->count; i++) g->nodes[i]->index = i;
    dev_node_free(k->c, n);
    return cudaSuccess;
}

cudaError_t dev_on_GraphClone(dev_call *k, const struct wire_in_GraphClone *in,
                              struct wire_out_GraphClone *out) {
    const dev_graph *g = dev_object(k->c, in->graph, DEV_GRAPH);
    if (!g) return cudaErrorInvalidValue;
    if (dev_graph_conditional(g)) return dev_refuse(k, w_server_conditional_clone());
    dev_graph *copy = dev_graph_clone(k->c, g, true, 0);
    if (!copy) return cudaErrorMemoryAllocation;
    out->clone = copy->handle;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphNodeFindInClone(dev_call *k,
                                            const struct wire_in_cudaGraphNodeFindInClone *in,
                                            struct wire_out_cudaGraphNodeFindInClone *out) {
    const dev_graph *g = dev_object(k->c, in->clonedGraph, DEV_GRAPH);
    const dev_node *n = g ? dev_graph_copy_of(g, in->originalNode) : NULL;
    if (!n) return cudaErrorInvalidValue;
    out->pNode = n->handle;
    return cudaSuccess;
}
