/* Graphs and their nodes, which hold work like a stream's. Instances are in graph_exec.c. */
#include "runner/device/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a graph takes besides its nodes, in an instance too, counted as work waiting is. */
enum { GRAPH_BYTES = 1024 };

/* ---- graphs and nodes */

dev_graph *dev_graph_new(dev_client *c, bool named) {
    dev_graph *g = c->queue_bytes + GRAPH_BYTES > DEV_QUEUE_BYTES ? NULL : calloc(1, sizeof *g);
    if (g && named && !(g->handle = dev_object_new(c, DEV_GRAPH, g))) {
        free(g);
        return NULL;
    }
    if (g) c->queue_bytes += GRAPH_BYTES;
    return g;
}

dev_graph **dev_graph_below(dev_work *w, size_t *count) {
    *count = w->kind == DEV_WORK_CHILD         ? 1
             : w->kind == DEV_WORK_CONDITIONAL ? w->conditional.size
                                               : 0;
    return w->kind == DEV_WORK_CHILD ? &w->child : *count ? w->conditional.bodies : NULL;
}

void dev_graph_drop(dev_client *c, dev_work *w) {
    size_t n;
    dev_graph **below = w ? dev_graph_below(w, &n) : NULL;
    for (size_t i = 0; below && i < n; i++)
        if (below[i]) dev_graph_free(c, below[i]);
    if (w && w->kind == DEV_WORK_CONDITIONAL) free(w->conditional.bodies);
    dev_work_free(c, w);
}

/* The node has the work, and the graphs below it. */
static void adopt(dev_client *c, dev_node *n, dev_work *w) {
    size_t count;
    dev_graph **below = dev_graph_below(w, &count);
    for (size_t i = 0; i < count; i++) below[i]->owner = n;
    if (w->kind == DEV_WORK_CONDITIONAL && n->handle) w->conditional.on->used = true;
    n->work = w;
    c->queue_bytes += w->bytes;
}

static void node_free(dev_client *c, dev_node *n) {
    if (n->handle) dev_object_drop(c, n->handle);
    if (n->work) {
        if (n->work->kind == DEV_WORK_CONDITIONAL && n->handle)
            n->work->conditional.on->used = false;
        c->queue_bytes -= n->work->bytes;
        dev_graph_drop(c, n->work);
    }
    c->queue_bytes -= n->dep_count * sizeof(dev_node *);
    free(n->deps);
    free(n);
}

void dev_graph_free(dev_client *c, dev_graph *g) {
    if (c->captures) dev_capture_forget(c, g);
    for (size_t i = 0; i < g->count; i++) node_free(c, g->nodes[i]);
    dev_conditions_free(c, g);
    if (g->handle) dev_object_drop(c, g->handle);
    c->queue_bytes -= GRAPH_BYTES;
    free(g->nodes);
    free(g);
}

dev_node *dev_graph_add(dev_client *c, dev_graph *g, int type, dev_work *w, dev_node *const *deps,
                        size_t dep_count) {
    dev_node *n = calloc(1, sizeof *n);
    if (!n || !w || g->count >= DEV_GRAPH_NODES || dep_count > g->count ||
        c->queue_bytes + w->bytes + dep_count * sizeof(dev_node *) > DEV_QUEUE_BYTES)
        goto fail;
    if (g->count == g->room) {
        size_t room = g->room ? g->room * 2 : 16;
        void *more = realloc(g->nodes, room * sizeof(dev_node *));
        if (!more) goto fail;
        g->nodes = more, g->room = room;
    }
    if (dep_count && !(n->deps = malloc(dep_count * sizeof(dev_node *)))) goto fail;
    if (g->handle && !(n->handle = dev_object_new(c, DEV_NODE, n))) goto fail;
    for (size_t i = 0; i < dep_count; i++) n->deps[i] = deps[i];
    n->dep_count = dep_count;
    n->graph = g, n->type = type, n->enabled = true, n->index = g->count;
    adopt(c, n, w);
    c->queue_bytes += dep_count * sizeof(dev_node *);
    return g->nodes[g->count++] = n;
fail:
    if (n) free(n->deps);
    free(n);
    dev_graph_drop(c, w);
    return NULL;
}

/* A copy of work with copies of the graphs below it. */
static dev_work *copy_work(dev_client *c, const dev_work *from, bool named, unsigned depth) {
    size_t n;
    dev_work *w = dev_work_copy(from);
    if (!w) return NULL;
    dev_graph **below = dev_graph_below(w, &n), **source = below, *child = w->child;
    if (w->kind == DEV_WORK_CHILD) source = &child;
    if (w->kind == DEV_WORK_CONDITIONAL)
        below = w->conditional.bodies = calloc(n, sizeof(dev_graph *));
    bool ok = !n || below;
    for (size_t i = 0; ok && i < n; i++) {
        below[i] = dev_graph_clone(c, source[i], named, depth + 1);
        ok = below[i] != NULL;
    }
    if (ok) return w;
    if (!below) w->conditional.size = 0;
    dev_graph_drop(c, w);
    return NULL;
}

dev_graph *dev_graph_clone(dev_client *c, const dev_graph *g, bool named, unsigned depth) {
    dev_graph *to = depth < DEV_GRAPH_DEPTH ? dev_graph_new(c, named) : NULL;
    if (!to) return NULL;
    for (size_t i = 0; i < g->count; i++) {
        const dev_node *n = g->nodes[i];
        dev_work *w = copy_work(c, n->work, named, depth);
        dev_node *copy = w ? dev_graph_add(c, to, n->type, w, NULL, 0) : NULL;
        if (!copy) {
            dev_graph_free(c, to);
            return NULL;
        }
        copy->origin = n->handle ? n->handle : n->origin;
        copy->enabled = n->enabled;
    }
    for (size_t i = 0; i < g->count; i++) {
        const dev_node *n = g->nodes[i];
        if (!n->dep_count) continue;
        dev_node *copy = to->nodes[i];
        if (c->queue_bytes + n->dep_count * sizeof(dev_node *) > DEV_QUEUE_BYTES ||
            !(copy->deps = malloc(n->dep_count * sizeof(dev_node *)))) {
            dev_graph_free(c, to);
            return NULL;
        }
        for (size_t j = 0; j < n->dep_count; j++) copy->deps[j] = to->nodes[n->deps[j]->index];
        copy->dep_count = n->dep_count;
        c->queue_bytes += n->dep_count * sizeof(dev_node *);
    }
    return to;
}

bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes,
                     dev_node ***out, size_t *count) {
    *count = bytes / 8;
    *out = malloc((*count + 1) * sizeof(dev_node *));
    if (!*out || bytes % 8) goto fail;
    for (size_t i = 0; i < *count; i++) {
        uint64_t h;
        memcpy(&h, span + 8 * i, 8);
        dev_node *n = dev_object(c, h, DEV_NODE);
        if (!n || n->graph != g) goto fail;
        (*out)[i] = n;
    }
    return true;
fail:
    free(*out);
    *out = NULL;
    return false;
}

/* ---- parameters: a span to work */

/* What CUDA itself does not do, in a line. */
cudaError_t dev_graph_refuse(dev_call *k, const char *why) {
    snprintf(k->note, sizeof k->note, "%s", why);
    return cudaErrorNotSupported;
}

/* For a node of g. */
static cudaError_t parse(dev_call *k, const dev_graph *g, int type, const uint8_t *p, size_t n,
                         dev_work **out) {
    dev_client *c = k->c;
    dev_work w = {.device = k->device, .bytes = sizeof w};
    cudaError_t e = cudaSuccess;
    size_t extra = 0;
    const size_t want[] = {[cudaGraphNodeTypeMemcpy] = sizeof w.copy,
                           [cudaGraphNodeTypeMemset] = sizeof w.fill,
                           [cudaGraphNodeTypeHost] = sizeof(wire_host),
                           [cudaGraphNodeTypeGraph] = 8,
                           [cudaGraphNodeTypeWaitEvent] = 8,
                           [cudaGraphNodeTypeEventRecord] = 8,
                           [cudaGraphNodeTypeMemAlloc] = sizeof(wire_alloc),
                           [cudaGraphNodeTypeMemFree] = sizeof(wire_alloc),
                           [cudaGraphNodeTypeConditional] = sizeof(wire_conditional)};
    *out = NULL;
    if (type < 0 || (size_t)type >= sizeof want / sizeof *want) return cudaErrorNotSupported;
    if (type != cudaGraphNodeTypeKernel && n != want[type]) return cudaErrorInvalidValue;
    switch (type) {
    case cudaGraphNodeTypeKernel: {
        wire_launch l;
        dev_kernel *kernel;
        if (n < sizeof l) return cudaErrorInvalidValue;
        memcpy(&l, p, sizeof l);
        extra = n - sizeof l;
        if ((e = dev_launch_check(c, k->device, &l, extra, &kernel))) return e;
        w.kind = DEV_WORK_LAUNCH;
        w.launch.kernel = kernel, w.launch.at = l;
        break;
    }
    case cudaGraphNodeTypeMemcpy:
        memcpy(&w.copy, p, n);
        w.kind = DEV_WORK_COPY;
        w.copy.async = 1;
        if (w.copy.from.at == WIRE_AT_PAGEABLE && w.copy.to.at == WIRE_AT_PAGEABLE)
            return cudaErrorNotSupported;
        if (w.copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
        e = dev_copy_check(c, k->device, &w.copy);
        break;
    case cudaGraphNodeTypeMemset:
        memcpy(&w.fill, p, n);
        w.kind = DEV_WORK_FILL;
        e = dev_fill_check(c, k->device, &w.fill);
        break;
    case cudaGraphNodeTypeHost: {
        wire_host h;
        memcpy(&h, p, n);
        w.kind = DEV_WORK_HOST;
        w.host.fn = h.fn, w.host.data = h.data;
        break;
    }
    case cudaGraphNodeTypeGraph: {
        uint64_t h;
        memcpy(&h, p, n);
        const dev_graph *child = dev_object(c, h, DEV_GRAPH);
        if (!child) return cudaErrorInvalidValue;
        if (dev_graph_conditional(child))
            return dev_graph_refuse(k, "a graph with conditional nodes cannot be a child graph");
        w.kind = DEV_WORK_CHILD;
        /* An instance's is as private as the rest of it. */
        if (!(w.child = dev_graph_clone(c, child, g->handle != 0, dev_graph_depth(g) + 1)))
            return cudaErrorMemoryAllocation;
        break;
    }
    case cudaGraphNodeTypeEmpty: w.kind = DEV_WORK_EMPTY; break;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord: {
        uint64_t h;
        memcpy(&h, p, n);
        w.kind = type == cudaGraphNodeTypeWaitEvent ? DEV_WORK_WAIT : DEV_WORK_RECORD;
        if (!(w.event.event = dev_object(c, h, DEV_EVENT))) return cudaErrorInvalidResourceHandle;
        break;
    }
    case cudaGraphNodeTypeConditional: {
        wire_conditional x;
        memcpy(&x, p, n);
        e = dev_conditional_parse(k, g, &x, &w);
        break;
    }
    case cudaGraphNodeTypeMemAlloc:
        memcpy(&w.alloc, p, n);
        w.kind = DEV_WORK_ALLOC;
        e = dev_allocate(c, k->device, w.alloc.bytes, DEV_MEM_GRAPH, 0, &w.alloc.address);
        break;
    case cudaGraphNodeTypeMemFree: {
        memcpy(&w.alloc, p, n);
        w.kind = DEV_WORK_FREE;
        const dev_mem *m = dev_mem_find(c, w.alloc.address);
        if (!m || m->base != w.alloc.address || m->kind != DEV_MEM_GRAPH)
            return cudaErrorInvalidValue;
        break;
    }
    default: return cudaErrorNotSupported;
    }
    if (e) return e;
    dev_work *copy = malloc(sizeof w + extra);
    if (!copy) {
        size_t count;
        dev_graph **below = dev_graph_below(&w, &count);
        for (size_t i = 0; i < count; i++) dev_graph_free(c, below[i]);
        if (w.kind == DEV_WORK_CONDITIONAL) {
            free(below);
            dev_condition_release(c, w.conditional.on);
        }
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, &w, sizeof w);
    copy->bytes += extra;
    if (extra) memcpy(copy->params, p + sizeof(wire_launch), extra);
    if (w.kind == DEV_WORK_WAIT || w.kind == DEV_WORK_RECORD) w.event.event->refs++;
    if (!dev_instance_allows(k, g, copy)) {
        dev_graph_drop(c, copy);
        return cudaErrorNotSupported;
    }
    *out = copy;
    return cudaSuccess;
}

/* ---- calls: building */

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
    for (const dev_stream *s = c->streams; s; s = s->next)
        if (s->capture && s->capture->graph == g) return cudaErrorIllegalState;
    if (dev_graph_owned(g)) return cudaErrorInvalidValue;
    dev_graph_free(c, g);
    return cudaSuccess;
}

bool dev_graph_owned(const dev_graph *g) {
    return g->owner != NULL;
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
    cudaError_t e = parse(k, g, (int)in->type, k->span[1], k->span_bytes[1], &w);
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

void dev_node_replace(dev_client *c, dev_node *n, dev_work *w) {
    c->queue_bytes -= n->work->bytes;
    dev_graph_drop(c, n->work);
    adopt(c, n, w);
}

dev_node *dev_graph_copy_of(const dev_graph *g, uint64_t origin) {
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->origin == origin) return g->nodes[i];
        size_t count;
        dev_graph **below = dev_graph_below(g->nodes[i]->work, &count);
        for (size_t j = 0; j < count; j++) {
            dev_node *n = dev_graph_copy_of(below[j], origin);
            if (n) return n;
        }
    }
    return NULL;
}

cudaError_t dev_on_GraphNodeSet(dev_call *k, const struct wire_in_GraphNodeSet *in,
                                struct wire_out_GraphNodeSet *out) {
    dev_client *c = k->c;
    dev_exec *x = in->exec ? dev_object(c, in->exec, DEV_EXEC) : NULL;
    dev_node *n = in->exec ? NULL : dev_object(c, in->node, DEV_NODE);
    dev_work *w;
    (void)out;
    if (in->exec && !x) return cudaErrorInvalidValue;
    if (x) n = dev_graph_copy_of(dev_exec_graph(x), in->node);
    if (!n || n->type != (int)in->type) return cudaErrorInvalidValue;
    if (n->type == cudaGraphNodeTypeConditional)
        return dev_graph_refuse(k, "the parameters of a conditional node cannot be changed");
    cudaError_t e = parse(k, n->graph, n->type, k->span[0], k->span_bytes[0], &w);
    if (e) return e;
    if (x && w->kind == DEV_WORK_CHILD) dev_exec_changed(x);
    dev_node_replace(c, n, w);
    return cudaSuccess;
}

cudaError_t dev_on_GraphList(dev_call *k, const struct wire_in_GraphList *in,
                             struct wire_out_GraphList *out) {
    dev_client *c = k->c;
    const dev_graph *g = in->what <= 2 ? dev_object(c, in->handle, DEV_GRAPH) : NULL;
    const dev_node *node = in->what > 2 ? dev_object(c, in->handle, DEV_NODE) : NULL;
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
        if (in->what == 0 || (in->what == 1 && !m->dep_count)) a[n++] = m->handle;
        for (size_t j = 0; j < m->dep_count; j++) {
            if (in->what == 2) a[n] = m->deps[j]->handle, b[n++] = m->handle;
            if (in->what == 3 && m == node) a[n++] = m->deps[j]->handle;
            if (in->what == 4 && m->deps[j] == node) a[n++] = m->handle;
        }
    }
    cudaError_t e = dev_answer(k, a, n * 8);
    if (!e && in->what == 2) e = dev_answer(k, b, n * 8);
    free(a), free(b);
    return e;
}

static bool drop_edge(dev_client *c, dev_node *to, const dev_node *from) {
    for (size_t i = 0; i < to->dep_count; i++)
        if (to->deps[i] == from) {
            c->queue_bytes -= sizeof(dev_node *);
            to->deps[i] = to->deps[--to->dep_count];
            return true;
        }
    return false;
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
        for (size_t i = 0; i < n && !e; i++) {
            bool there = false;
            for (size_t j = 0; j < to[i]->dep_count; j++) there |= to[i]->deps[j] == from[i];
            if (from[i] == to[i] || there == (in->add != 0)) {
                e = cudaErrorInvalidValue;
            } else if (!in->add) {
                drop_edge(c, to[i], from[i]);
            } else {
                dev_node **more = realloc(to[i]->deps, (to[i]->dep_count + 1) * sizeof(dev_node *));
                if (!more) {
                    e = cudaErrorMemoryAllocation;
                    break;
                }
                to[i]->deps = more;
                more[to[i]->dep_count++] = from[i];
                c->queue_bytes += sizeof(dev_node *);
            }
        }
    }
    free(from), free(to);
    return e;
}

cudaError_t dev_on_cudaGraphDestroyNode(dev_call *k, const struct wire_in_cudaGraphDestroyNode *in,
                                        struct wire_out_cudaGraphDestroyNode *out) {
    dev_node *n = dev_object(k->c, in->node, DEV_NODE);
    (void)out;
    if (!n) return cudaErrorInvalidValue;
    if (n->work->kind == DEV_WORK_ALLOC || n->work->kind == DEV_WORK_FREE)
        return cudaErrorNotSupported;
    dev_graph *g = n->graph;
    for (size_t i = 0; i < g->count; i++) drop_edge(k->c, g->nodes[i], n);
    memmove(g->nodes + n->index, g->nodes + n->index + 1,
            (g->count - n->index - 1) * sizeof(dev_node *));
    g->count--;
    for (size_t i = n->index; i < g->count; i++) g->nodes[i]->index = i;
    node_free(k->c, n);
    return cudaSuccess;
}

cudaError_t dev_on_GraphClone(dev_call *k, const struct wire_in_GraphClone *in,
                              struct wire_out_GraphClone *out) {
    const dev_graph *g = dev_object(k->c, in->graph, DEV_GRAPH);
    if (!g) return cudaErrorInvalidValue;
    if (dev_graph_conditional(g))
        return dev_graph_refuse(k, "a graph with conditional nodes cannot be cloned");
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
