/* cudaGraphExecUpdate: an instance takes over the parameters of a graph of the same shape. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/device/server/graph/exec.h"
#include "runner/device/server/core/object.h"

/* Nodes are matched in the order in which they were added. */
static int update_compare(const dev_client *c, const dev_graph *a, const dev_graph *b,
                          const dev_node **node, const dev_node **from) {
    if (a->count != b->count) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->count; i++) {
        const dev_node *x = a->nodes[i], *y = b->nodes[i];
        *node = x, *from = y;
        if (x->type != y->type) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (x->dep_count != y->dep_count) return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t j = 0; j < x->dep_count; j++) {
            const dev_node *on = b->nodes[x->deps[j]->index];
            if (y->deps[j] == on) continue;
            if (dev_stopped(c)) return cudaGraphExecUpdateError;
            if (!dev_node_follows(y, on)) return cudaGraphExecUpdateErrorTopologyChanged;
        }
        size_t n, m;
        dev_graph **p = dev_graph_below(x->work, &n), **q = dev_graph_below(y->work, &m);
        if (x->work->kind == DEV_WORK_CONDITIONAL &&
            (n != m || x->work->conditional.type != y->work->conditional.type))
            return cudaGraphExecUpdateErrorParametersChanged;
        for (size_t j = 0; j < n; j++) {
            int r = update_compare(c, p[j], q[j], node, from);
            if (r) return r;
        }
    }
    *node = *from = NULL;
    return cudaGraphExecUpdateSuccess;
}

static bool update_take(dev_client *c, dev_graph *a, const dev_graph *b) {
    for (size_t i = 0; i < a->count; i++) {
        size_t n, m;
        dev_graph **p = dev_graph_below(a->nodes[i]->work, &n),
                  **q = dev_graph_below(b->nodes[i]->work, &m);
        for (size_t j = 0; j < n; j++)
            if (!update_take(c, p[j], q[j])) return false;
        if (b->nodes[i]->work->kind == DEV_WORK_CONDITIONAL) {
            /* The new kernels set the other graph's condition. */
            dev_condition **on = &a->nodes[i]->work->conditional.on, *old = *on;
            dev_condition_retain(*on = b->nodes[i]->work->conditional.on);
            dev_condition_release(c, old);
        } else if (!n) {
            dev_work *w = dev_work_copy(b->nodes[i]->work);
            if (!w) return false;
            dev_node_replace(c, a->nodes[i], w);
        }
        a->nodes[i]->origin = b->nodes[i]->handle ? b->nodes[i]->handle : b->nodes[i]->origin;
    }
    return true;
}

cudaError_t dev_on_GraphExecUpdate(dev_call *k, const struct wire_in_GraphExecUpdate *in,
                                   struct wire_out_GraphExecUpdate *out) {
    dev_exec *x = dev_object(k->c, in->exec, DEV_EXEC);
    const dev_graph *g = dev_object(k->c, in->graph, DEV_GRAPH);
    const dev_node *node = NULL, *from = NULL;
    if (!x || !g || !dev_bodies_fit(k, g)) return cudaErrorInvalidValue;
    int r = update_compare(k->c, x->graph, g, &node, &from);
    out->result = (uint64_t)r;
    if (node) out->node = node->origin;
    if (from) out->from = from->handle;
    if (!r && !update_take(k->c, x->graph, g)) return cudaErrorMemoryAllocation;
    return cudaSuccess;
}
