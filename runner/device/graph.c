/* Graphs: nodes hold work like a stream's; an instance is a private copy, flattened to a list in an order
 * that respects the edges, children in place, which a launch goes through. Bodies of conditional nodes are
 * lists of their own, gone through as often as the condition says. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a graph takes besides its nodes, in an instance too, counted as work waiting is. */
enum { GRAPH_BYTES = 1024 };

typedef struct list list;
typedef struct {
    dev_node *node; /* NULL: only joins its dependencies */
    size_t *deps, dep_count;
    list *bodies; /* of a conditional node */
    uint32_t body_count;
} flat;
struct list {
    flat *at;
    size_t count, room;
};

struct dev_exec {
    uint64_t handle, flags;
    uint64_t source; /* handle of the graph whose instance it counts as, or 0 */
    unsigned refs;
    dev_graph *graph;
    list list;
    size_t total; /* of the list and the lists in it */
    bool stale;   /* the list must be made again */
};

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
    *count = w->kind == DEV_WORK_CHILD ? 1 : w->kind == DEV_WORK_CONDITIONAL ? w->conditional.size : 0;
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
        if (n->work->kind == DEV_WORK_CONDITIONAL && n->handle) n->work->conditional.on->used = false;
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
    if (w->kind == DEV_WORK_CONDITIONAL) below = w->conditional.bodies = calloc(n, sizeof(dev_graph *));
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

bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes, dev_node ***out,
                     size_t *count) {
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
static cudaError_t refuse(dev_call *k, const char *why) {
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
            return refuse(k, "a graph with conditional nodes cannot be a child graph");
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
        if (!dev_graph_allows(k, g, &w)) return cudaErrorNotSupported; /* before there is memory */
        e = dev_allocate(c, k->device, w.alloc.bytes, DEV_MEM_GRAPH, 0, &w.alloc.address);
        break;
    case cudaGraphNodeTypeMemFree: {
        memcpy(&w.alloc, p, n);
        w.kind = DEV_WORK_FREE;
        const dev_mem *m = dev_mem_find(c, w.alloc.address);
        if (!m || m->base != w.alloc.address || m->kind != DEV_MEM_GRAPH) return cudaErrorInvalidValue;
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
    if (!dev_graph_allows(k, g, copy)) {
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

cudaError_t dev_on_GraphAdd(dev_call *k, const struct wire_in_GraphAdd *in, struct wire_out_GraphAdd *out) {
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
            for (uint32_t i = 0; i < w->conditional.size; i++) bodies[i] = w->conditional.bodies[i]->handle;
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
    case DEV_WORK_HOST: return dev_answer(k, &(wire_host){w->host.fn, w->host.data}, sizeof(wire_host));
    case DEV_WORK_CHILD: return dev_answer(k, &w->child->handle, 8);
    case DEV_WORK_RECORD:
    case DEV_WORK_WAIT: return dev_answer(k, &w->event.event->handle, 8);
    case DEV_WORK_ALLOC:
    case DEV_WORK_FREE: return dev_answer(k, &w->alloc, sizeof w->alloc);
    default: return cudaSuccess;
    }
}

static void replace(dev_client *c, dev_node *n, dev_work *w) {
    c->queue_bytes -= n->work->bytes;
    dev_graph_drop(c, n->work);
    adopt(c, n, w);
}

static dev_node *copy_of(const dev_graph *g, uint64_t origin) {
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->origin == origin) return g->nodes[i];
        size_t count;
        dev_graph **below = dev_graph_below(g->nodes[i]->work, &count);
        for (size_t j = 0; j < count; j++) {
            dev_node *n = copy_of(below[j], origin);
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
    if (x) n = copy_of(x->graph, in->node);
    if (!n || n->type != (int)in->type) return cudaErrorInvalidValue;
    if (n->type == cudaGraphNodeTypeConditional)
        return refuse(k, "the parameters of a conditional node cannot be changed");
    cudaError_t e = parse(k, n->graph, n->type, k->span[0], k->span_bytes[0], &w);
    if (e) return e;
    if (x && w->kind == DEV_WORK_CHILD) x->stale = true;
    replace(c, n, w);
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
    if (n->work->kind == DEV_WORK_ALLOC || n->work->kind == DEV_WORK_FREE) return cudaErrorNotSupported;
    dev_graph *g = n->graph;
    for (size_t i = 0; i < g->count; i++) drop_edge(k->c, g->nodes[i], n);
    memmove(g->nodes + n->index, g->nodes + n->index + 1, (g->count - n->index - 1) * sizeof(dev_node *));
    g->count--;
    for (size_t i = n->index; i < g->count; i++) g->nodes[i]->index = i;
    node_free(k->c, n);
    return cudaSuccess;
}

cudaError_t dev_on_GraphClone(dev_call *k, const struct wire_in_GraphClone *in,
                              struct wire_out_GraphClone *out) {
    const dev_graph *g = dev_object(k->c, in->graph, DEV_GRAPH);
    if (!g) return cudaErrorInvalidValue;
    if (dev_graph_conditional(g)) return refuse(k, "a graph with conditional nodes cannot be cloned");
    dev_graph *copy = dev_graph_clone(k->c, g, true, 0);
    if (!copy) return cudaErrorMemoryAllocation;
    out->clone = copy->handle;
    return cudaSuccess;
}
cudaError_t dev_on_cudaGraphNodeFindInClone(dev_call *k, const struct wire_in_cudaGraphNodeFindInClone *in,
                                            struct wire_out_cudaGraphNodeFindInClone *out) {
    const dev_graph *g = dev_object(k->c, in->clonedGraph, DEV_GRAPH);
    const dev_node *n = g ? copy_of(g, in->originalNode) : NULL;
    if (!n) return cudaErrorInvalidValue;
    out->pNode = n->handle;
    return cudaSuccess;
}

/* ---- instances */

static bool push(dev_exec *x, list *l, dev_node *n, size_t *index) {
    if (x->total >= DEV_GRAPH_NODES) return false;
    if (l->count == l->room) {
        size_t room = l->room ? l->room * 2 : 8;
        void *more = realloc(l->at, room * sizeof *l->at);
        if (!more) return false;
        l->at = more, l->room = room;
    }
    l->at[l->count] = (flat){.node = n};
    *index = l->count++;
    x->total++;
    return true;
}

static bool depend(list *l, size_t i, size_t on) {
    size_t *more = realloc(l->at[i].deps, (l->at[i].dep_count + 1) * sizeof *more);
    if (!more) return false;
    l->at[i].deps = more;
    more[l->at[i].dep_count++] = on;
    return true;
}

static void empty(list *l) {
    for (size_t i = 0; i < l->count; i++) {
        flat *f = &l->at[i];
        for (uint32_t b = 0; b < f->body_count; b++) { /* the node itself may be gone */
            empty(&f->bodies[b]);
            free(f->bodies[b].at);
        }
        free(f->bodies), free(f->deps);
    }
    l->count = 0;
}

static bool flatten(dev_exec *x, list *l, const dev_graph *g, size_t entry, size_t *leave);

/* The bodies of the conditional node that is the list's last. */
static bool flatten_bodies(dev_exec *x, flat *f) {
    const dev_work *w = f->node->work;
    if (!(f->bodies = calloc(w->conditional.size, sizeof *f->bodies))) return false;
    f->body_count = w->conditional.size;
    for (uint32_t b = 0; b < f->body_count; b++) {
        size_t entry, leave;
        if (!push(x, &f->bodies[b], NULL, &entry) ||
            !flatten(x, &f->bodies[b], w->conditional.bodies[b], entry, &leave))
            return false;
    }
    return true;
}

/* Appends g's nodes, each behind its dependencies, roots behind `entry`; *leave depends on all. False: a
 * cycle, or too large. */
static bool flatten(dev_exec *x, list *l, const dev_graph *g, size_t entry, size_t *leave) {
    size_t n = g->count, edges = 0, head = 0, tail = 0;
    for (size_t i = 0; i < n; i++) edges += g->nodes[i]->dep_count;
    /* where: index in the list; missing: dependencies not yet listed; first, next_of: who depends on whom */
    size_t *where = calloc(n + 1, sizeof *where), *missing = calloc(n + 1, sizeof *missing),
           *queue = calloc(n + 1, sizeof *queue);
    size_t *first = calloc(n + 2, sizeof *first), *dependent = calloc(edges + 1, sizeof *dependent);
    bool ok = where && missing && queue && first && dependent;
    for (size_t i = 0; ok && i < n; i++)
        for (size_t j = 0; j < g->nodes[i]->dep_count; j++) first[g->nodes[i]->deps[j]->index + 1]++;
    for (size_t i = 0; ok && i < n; i++) first[i + 1] += first[i];
    for (size_t i = 0; ok && i < n; i++)
        for (size_t j = 0; j < g->nodes[i]->dep_count; j++) {
            size_t d = g->nodes[i]->deps[j]->index;
            dependent[first[d] + where[d]++] = i;
        }
    for (size_t i = 0; ok && i < n; i++) {
        missing[i] = g->nodes[i]->dep_count;
        where[i] = 0;
        if (!missing[i]) queue[tail++] = i;
    }
    while (ok && head < tail) {
        size_t i = queue[head++], at = 0;
        dev_node *node = g->nodes[i];
        bool child = node->work->kind == DEV_WORK_CHILD;
        ok = push(x, l, child ? NULL : node, &at);
        if (ok && !node->dep_count) ok = depend(l, at, entry);
        for (size_t j = 0; ok && j < node->dep_count; j++) ok = depend(l, at, where[node->deps[j]->index]);
        if (ok && child) ok = flatten(x, l, node->work->child, at, &at);
        if (ok && node->work->kind == DEV_WORK_CONDITIONAL) ok = flatten_bodies(x, &l->at[at]);
        where[i] = at;
        for (size_t j = first[i]; ok && j < first[i + 1]; j++)
            if (!--missing[dependent[j]]) queue[tail++] = dependent[j];
    }
    if (ok) ok = tail == n && push(x, l, NULL, leave) && depend(l, *leave, entry);
    for (size_t i = 0; ok && i < n; i++) ok = depend(l, *leave, where[i]);
    free(where), free(missing), free(queue), free(first), free(dependent);
    return ok;
}

static bool rebuild(dev_exec *x) {
    size_t entry, leave;
    empty(&x->list);
    x->total = 0;
    x->stale = false;
    return push(x, &x->list, NULL, &entry) && flatten(x, &x->list, x->graph, entry, &leave);
}

void dev_exec_retain(dev_exec *e) {
    e->refs++;
}
void dev_exec_release(dev_client *c, dev_exec *e) {
    if (--e->refs) return;
    empty(&e->list);
    free(e->list.at);
    if (e->graph) dev_graph_free(c, e->graph);
    free(e);
}
const dev_graph *dev_exec_graph(const dev_exec *e) {
    return e->graph;
}

cudaError_t dev_on_GraphInstantiate(dev_call *k, const struct wire_in_GraphInstantiate *in,
                                    struct wire_out_GraphInstantiate *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    out->result = cudaGraphInstantiateError; /* unless ... */
    if (!g) return cudaErrorInvalidValue;
    if (in->flags & 4) {
        dev_unsupported(c, "cudaGraphInstantiate: launching graphs from the device is not supported");
        return cudaErrorNotSupported;
    }
    if (in->flags > 15) return cudaErrorInvalidValue;
    bool conditional = dev_graph_conditional(g);
    if (g->owner && g->owner->type == cudaGraphNodeTypeConditional)
        return refuse(k, "the body of a conditional node cannot be instantiated by itself");
    if (conditional && g->instances)
        return refuse(k,
                      "a graph with conditional nodes has one instance at a time: destroy the other first");
    if (dev_conditions_unused(g)) {
        snprintf(k->note, sizeof k->note,
                 "cudaGraphInstantiate: a conditional handle of the graph belongs to no conditional node");
        out->result = cudaGraphInstantiateConditionalHandleUnused;
        return cudaErrorInvalidValue;
    }
    dev_exec *x = calloc(1, sizeof *x);
    if (!x) return cudaErrorMemoryAllocation;
    x->refs = 1, x->flags = in->flags;
    x->graph = dev_graph_clone(c, g, false, 0);
    cudaError_t e = !x->graph ? cudaErrorMemoryAllocation : !rebuild(x) ? cudaErrorInvalidValue : cudaSuccess;
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
cudaError_t dev_on_cudaGraphExecGetFlags(dev_call *k, const struct wire_in_cudaGraphExecGetFlags *in,
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

/* Nodes are matched in the order they were added. */
static int compare(const dev_graph *a, const dev_graph *b, const dev_node **node, const dev_node **from) {
    if (a->count != b->count) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->count; i++) {
        const dev_node *x = a->nodes[i], *y = b->nodes[i];
        *node = x, *from = y;
        if (x->type != y->type) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (x->dep_count != y->dep_count) return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t j = 0; j < x->dep_count; j++) {
            bool there = false;
            for (size_t l = 0; l < y->dep_count; l++) there |= y->deps[l]->index == x->deps[j]->index;
            if (!there) return cudaGraphExecUpdateErrorTopologyChanged;
        }
        size_t n, m;
        dev_graph **p = dev_graph_below(x->work, &n), **q = dev_graph_below(y->work, &m);
        if (x->work->kind == DEV_WORK_CONDITIONAL &&
            (n != m || x->work->conditional.type != y->work->conditional.type))
            return cudaGraphExecUpdateErrorParametersChanged;
        for (size_t j = 0; j < n; j++) {
            int r = compare(p[j], q[j], node, from);
            if (r) return r;
        }
    }
    *node = *from = NULL;
    return cudaGraphExecUpdateSuccess;
}

static bool take_over(dev_client *c, dev_graph *a, const dev_graph *b) {
    for (size_t i = 0; i < a->count; i++) {
        size_t n, m;
        dev_graph **p = dev_graph_below(a->nodes[i]->work, &n), **q = dev_graph_below(b->nodes[i]->work, &m);
        for (size_t j = 0; j < n; j++)
            if (!take_over(c, p[j], q[j])) return false;
        if (b->nodes[i]->work->kind == DEV_WORK_CONDITIONAL) {
            /* The new kernels set the other graph's condition. */
            dev_condition **on = &a->nodes[i]->work->conditional.on, *old = *on;
            dev_condition_retain(*on = b->nodes[i]->work->conditional.on);
            dev_condition_release(c, old);
        } else if (!n) {
            dev_work *w = dev_work_copy(b->nodes[i]->work);
            if (!w) return false;
            replace(c, a->nodes[i], w);
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
    if (!x || !g) return cudaErrorInvalidValue;
    int r = compare(x->graph, g, &node, &from);
    out->result = (uint64_t)r;
    if (node) out->node = node->origin;
    if (from) out->from = from->handle;
    if (!r && !take_over(k->c, x->graph, g)) return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGraphNodeSetEnabled(dev_call *k, const struct wire_in_cudaGraphNodeSetEnabled *in,
                                           struct wire_out_cudaGraphNodeSetEnabled *out) {
    dev_exec *x = dev_object(k->c, in->hGraphExec, DEV_EXEC);
    dev_node *n = x ? copy_of(x->graph, in->hNode) : NULL;
    (void)out;
    if (!n || n->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    n->enabled = in->isEnabled != 0;
    return cudaSuccess;
}
cudaError_t dev_on_cudaGraphNodeGetEnabled(dev_call *k, const struct wire_in_cudaGraphNodeGetEnabled *in,
                                           struct wire_out_cudaGraphNodeGetEnabled *out) {
    const dev_exec *x = dev_object(k->c, in->hGraphExec, DEV_EXEC);
    const dev_node *n = x ? copy_of(x->graph, in->hNode) : NULL;
    if (!n || n->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    out->isEnabled = n->enabled;
    return cudaSuccess;
}

/* ---- running */

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
    dev_work w = {.kind = DEV_WORK_GRAPH, .device = s->device, .bytes = sizeof w, .exec = x};
    return dev_submit(k, s, &w);
}

static bool needs_program(const dev_work *w) {
    return w->kind == DEV_WORK_HOST || (w->kind == DEV_WORK_COPY && (w->copy.from.at == WIRE_AT_PAGEABLE ||
                                                                     w->copy.to.at == WIRE_AT_PAGEABLE));
}

/* The next stretch of a pageable copy: where it lies in the program's memory, and how long it is. */
static uint64_t stretch(const wire_copy *w, uint64_t offset, uint64_t *address) {
    const wire_place *p = w->from.at == WIRE_AT_PAGEABLE ? &w->from : &w->to;
    uint64_t row = offset / w->width, x = offset % w->width, n = w->width - x;
    *address =
        p->address + ((p->z + row / w->height) * p->rows + p->y + row % w->height) * p->pitch + p->x + x;
    return n < WIRE_MAX_BYTES / 4 ? n : WIRE_MAX_BYTES / 4;
}

static cudaError_t run_conditional(dev_client *c, dev_stream *s, const flat *f, double after, double *end);

/* A node that needs nothing of the program. */
static cudaError_t run_node(dev_client *c, dev_stream *s, const flat *f, double from, double *done) {
    const dev_work *w = f->node->work;
    *done = from;
    switch (w->kind) {
    case DEV_WORK_RECORD:
        w->event.event->recorded = true, w->event.event->when = from;
        w->event.event->done = w->event.event->seq;
        return cudaSuccess;
    case DEV_WORK_WAIT:
        if (w->event.event->when > from) *done = w->event.event->when;
        return cudaSuccess;
    case DEV_WORK_CONDITIONAL: return run_conditional(c, s, f, from, done);
    default: return dev_work_run(c, s, w, from, done);
    }
}

static double latest(const flat *f, const double *ends, double after) {
    for (size_t j = 0; j < f->dep_count; j++)
        if (ends[f->deps[j]] > after) after = ends[f->deps[j]];
    return after;
}

/* A body, once. Nothing in it needs the program (conditional.c), so it is never left halfway. */
static cudaError_t run_body(dev_client *c, dev_stream *s, const list *l, double after, double *end) {
    cudaError_t error = cudaSuccess;
    double *ends = malloc((l->count + 1) * sizeof *ends);
    if (!ends) return cudaErrorMemoryAllocation;
    *end = after;
    for (size_t i = 0; i < l->count; i++) {
        const flat *f = &l->at[i];
        ends[i] = latest(f, ends, after);
        if (f->node && f->node->enabled && !c->fault[s->device]) {
            cudaError_t e = run_node(c, s, f, ends[i], &ends[i]);
            if (e && !error) error = e;
        }
        if (ends[i] > *end) *end = ends[i];
    }
    free(ends);
    return error;
}

static cudaError_t run_conditional(dev_client *c, dev_stream *s, const flat *f, double after, double *end) {
    const dev_work *w = f->node->work;
    dev_condition *on = w->conditional.on;
    uint32_t value = dev_condition_read(c, on), body = value;
    cudaError_t error = cudaSuccess;
    *end = after;
    if (w->conditional.type == cudaGraphCondTypeWhile) {
        dev_loop loop = {.before = c->work};
        for (; value && dev_loop_goes_on(c, s->device, &loop); value = dev_condition_read(c, on)) {
            cudaError_t e = run_body(c, s, &f->bodies[0], *end, end);
            if (e && !error) error = e;
        }
        return error;
    }
    if (w->conditional.type == cudaGraphCondTypeIf) body = !value;
    return body < f->body_count ? run_body(c, s, &f->bodies[body], after, end) : cudaSuccess;
}

/* The instance is launched: conditions that have a default get it. */
static void begin(const list *l) {
    for (size_t i = 0; i < l->count; i++) {
        const flat *f = &l->at[i];
        if (!f->bodies) continue;
        dev_condition_launch(f->node->work->conditional.on);
        for (uint32_t b = 0; b < f->body_count; b++) begin(&f->bodies[b]);
    }
}

cudaError_t dev_exec_run(dev_client *c, dev_stream *s, dev_item *item, double after, double *end,
                         bool *blocked) {
    dev_exec *x = item->work->exec;
    const list *l = &x->list;
    cudaError_t error = cudaSuccess;
    if (!item->ends) {
        if (x->stale && !rebuild(x)) return cudaErrorMemoryAllocation;
        if (!(item->ends = calloc(l->count + 1, sizeof *item->ends))) return cudaErrorMemoryAllocation;
        item->nodes = l->count;
        for (size_t i = 0; i < l->count; i++) item->ends[i] = after;
        begin(l);
    }
    if (x->stale || item->nodes != l->count) return cudaErrorInvalidValue; /* changed while it ran */
    for (; item->at < l->count; item->at++) {
        const flat *f = &l->at[item->at];
        double from = latest(f, item->ends, after);
        item->ends[item->at] = from;
        if (!f->node || !f->node->enabled || c->fault[s->device]) continue;
        const dev_work *w = f->node->work;
        if (needs_program(w)) {
            uint64_t address = 0, n = 0;
            if (w->kind == DEV_WORK_COPY) n = stretch(&w->copy, item->offset, &address);
            s->ready = from;
            error = w->kind == DEV_WORK_HOST
                        ? dev_service_add(c, s, WIRE_SERVE_FUNCTION, w->host.fn, w->host.data)
                    : w->copy.from.at == WIRE_AT_PAGEABLE
                        ? dev_service_add(c, s, WIRE_SERVE_READ, n, address)
                        : dev_service_add(c, s, WIRE_SERVE_WRITE, n, address);
            if (error) return error;
            *blocked = true;
            *end = from;
            return cudaSuccess;
        }
        cudaError_t e = run_node(c, s, f, from, &item->ends[item->at]);
        if (e && !error) error = e;
    }
    *end = after;
    for (size_t i = 0; i < l->count; i++)
        if (item->ends[i] > *end) *end = item->ends[i];
    return error;
}

/* Bytes that the program is to write into its memory. */
cudaError_t dev_exec_bytes(dev_client *c, dev_stream *s, void *to, size_t bytes) {
    const dev_item *i = s->head;
    const dev_exec *x = i && i->work->kind == DEV_WORK_GRAPH ? i->work->exec : NULL;
    if (!x || x->stale || i->at >= x->list.count) return cudaErrorUnknown;
    const dev_node *n = x->list.at[i->at].node;
    if (!n || n->work->kind != DEV_WORK_COPY) return cudaErrorUnknown;
    return dev_copy_bytes(c, &n->work->copy, false, i->offset, to, bytes);
}

/* The program has done what the node at item->at needed of it. */
void dev_exec_served(dev_client *c, dev_stream *s, dev_item *item, int what, const uint8_t *data,
                     size_t bytes) {
    const dev_exec *x = item->work->exec;
    if (x->stale || item->at >= x->list.count || !x->list.at[item->at].node) return;
    const dev_work *w = x->list.at[item->at].node->work;
    if (w->kind == DEV_WORK_COPY && (what == WIRE_SERVE_READ || what == WIRE_SERVE_WRITE)) {
        uint64_t address, total = w->copy.width * w->copy.height * w->copy.depth,
                          n = stretch(&w->copy, item->offset, &address);
        if (what == WIRE_SERVE_READ &&
            (bytes != n || dev_copy_bytes(c, &w->copy, true, item->offset, (void *)(uintptr_t)data, n)))
            n = total - item->offset; /* it did not: the copy fails */
        item->offset += n;
        if (item->offset < total) return;
        double start, end;
        bool to_device = what == WIRE_SERVE_READ;
        dev_place_copy(c, s->device, to_device ? DEV_DIR_H2D : DEV_DIR_D2H, true, true, total, 0,
                       item->ends[item->at], &start, &end);
        dev_log(c, to_device ? DEV_OP_H2D : DEV_OP_D2H, s->device, s, start, end, total, SIM_OK);
        item->ends[item->at] = end;
        item->offset = 0;
    } else if (s->ready > item->ends[item->at]) {
        item->ends[item->at] = s->ready;
    }
    item->at++;
}

cudaError_t dev_on_cudaDeviceGraphMemTrim(dev_call *k, const struct wire_in_cudaDeviceGraphMemTrim *in,
                                          struct wire_out_cudaDeviceGraphMemTrim *out) {
    (void)out;
    return in->device < k->c->s->count ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t dev_on_GraphMemory(dev_call *k, const struct wire_in_GraphMemory *in,
                               struct wire_out_GraphMemory *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (in->attr > 3) return cudaErrorInvalidValue;
    out->value = in->attr % 2 ? k->c->graph_high[in->device] : k->c->graph_bytes[in->device];
    return cudaSuccess;
}
