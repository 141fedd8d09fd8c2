/* Calls that list nodes and edges, and change edges. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/base/buffer.h"
#include "runner/device/server/graph/node.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>

cudaError_t dev_on_GraphList(dev_call *k, const struct wire_in_GraphList *in,
                             struct wire_out_GraphList *out) {
    dev_client *c = k->c;
    const dev_graph *g = in->what <= WIRE_GRAPH_EDGES ? dev_object(c, in->handle, DEV_GRAPH) : NULL;
    const dev_node *node = in->what > WIRE_GRAPH_EDGES ? dev_object(c, in->handle, DEV_NODE) : NULL;
    uint64_t *a = NULL, *b = NULL;
    size_t n = 0, most = 0;
    (void)out;
    if (!g && !node) return cudaErrorInvalidValue;
    const dev_graph *all = g ? g : node->graph;
    for (size_t i = 0; i < all->count; i++) most += 1 + all->nodes[i]->dep_count;
    if (most > WIRE_MAX_BYTES / 32) return cudaErrorNotSupported;
    a = malloc((most + 1) * sizeof *a), b = malloc((most + 1) * sizeof *b);
    if (!a || !b) {
        free(a), free(b);
        return cudaErrorMemoryAllocation;
    }
    for (size_t i = 0; i < all->count; i++) {
        const dev_node *m = all->nodes[i];
        if (in->what == WIRE_GRAPH_NODES || (in->what == WIRE_GRAPH_ROOTS && !m->dep_count))
            a[n++] = m->handle;
        for (size_t j = 0; j < m->dep_count; j++) {
            if (in->what == WIRE_GRAPH_EDGES) a[n] = m->deps[j]->handle, b[n++] = m->handle;
            if (in->what == WIRE_NODE_DEPENDENCIES && m == node) a[n++] = m->deps[j]->handle;
            if (in->what == WIRE_NODE_DEPENDENTS && m->deps[j] == node) a[n++] = m->handle;
        }
    }
    cudaError_t e = dev_answer(k, a, n * 8);
    if (!e && in->what == WIRE_GRAPH_EDGES) e = dev_answer(k, b, n * 8);
    free(a), free(b);
    return e;
}

static cudaError_t edge_change(dev_client *c, dev_node *from, dev_node *to, bool add) {
    if (from == to || dev_node_follows(to, from) == add) return cudaErrorInvalidValue;
    if (!add) {
        dev_node_drop_edge(c, to, from);
        return cudaSuccess;
    }
    if (c->budget.queued + DEV_EDGE_BYTES > dev_part_limit(c)) return cudaErrorMemoryAllocation;
    if (!lib_resize(&to->deps, to->dep_count + 1, sizeof *to->deps))
        return cudaErrorMemoryAllocation;
    to->deps[to->dep_count++] = from;
    c->budget.queued += DEV_EDGE_BYTES;
    return cudaSuccess;
}

cudaError_t dev_on_GraphEdges(dev_call *k, const struct wire_in_GraphEdges *in,
                              struct wire_out_GraphEdges *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    dev_node **from = NULL, **to = NULL;
    size_t n, m;
    cudaError_t e = cudaErrorInvalidValue;
    (void)out;
    if (!g || !dev_graph_nodes(c, g, k->span[0], k->span_bytes[0], &from, &n)) return e;
    if (dev_graph_nodes(c, g, k->span[1], k->span_bytes[1], &to, &m) && n == m) {
        e = cudaSuccess;
        for (size_t i = 0; i < n && !e; i++)
            e = dev_stopped(c) ? cudaErrorLaunchTimeout
                               : edge_change(c, from[i], to[i], in->add != 0);
    }
    free(from), free(to);
    return e;
}
