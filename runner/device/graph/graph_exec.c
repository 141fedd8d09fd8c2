/* Instances of graphs: a private copy, flattened to a list in an order that respects the edges,
 * children in place, which a launch goes through. Bodies of conditional nodes are lists of their
 * own, gone through as often as the condition says. */
#include "runner/device/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends g's nodes, each behind its dependencies, roots behind `entry`; *leave depends on all.
 * False: a cycle, or too large. */
static bool flatten(dev_exec *x, list *l, const dev_graph *g, size_t entry, size_t *leave) {
    size_t n = g->count, edges = 0, head = 0, tail = 0;
    for (size_t i = 0; i < n; i++) edges += g->nodes[i]->dep_count;
    /* where: index in the list; missing: dependencies not yet listed; first, next_of: who depends
     * on whom */
    size_t *where = calloc(n + 1, sizeof *where), *missing = calloc(n + 1, sizeof *missing),
           *queue = calloc(n + 1, sizeof *queue);
    size_t *first = calloc(n + 2, sizeof *first), *dependent = calloc(edges + 1, sizeof *dependent);
    bool ok = where && missing && queue && first && dependent;
    for (size_t i = 0; ok && i < n; i++)
        for (size_t j = 0; j < g->nodes[i]->dep_count; j++)
            first[g->nodes[i]->deps[j]->index + 1]++;
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
        for (size_t j = 0; ok && j < node->dep_count; j++)
            ok = depend(l, at, where[node->deps[j]->index]);
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
void dev_exec_changed(dev_exec *e) {
    e->stale = true;
}

cudaError_t dev_on_GraphInstantiate(dev_call *k, const struct wire_in_GraphInstantiate *in,
                                    struct wire_out_GraphInstantiate *out) {
    dev_client *c = k->c;
    dev_graph *g = dev_object(c, in->graph, DEV_GRAPH);
    out->result = cudaGraphInstantiateError; /* unless ... */
    if (!g) return cudaErrorInvalidValue;
    if (in->flags & 4) {
        dev_unsupported(c,
                        "cudaGraphInstantiate: launching graphs from the device is not supported");
        return cudaErrorNotSupported;
    }
    if (in->flags > 15) return cudaErrorInvalidValue;
    bool conditional = dev_graph_conditional(g);
    if (g->owner && g->owner->type == cudaGraphNodeTypeConditional)
        return dev_graph_refuse(k,
                                "the body of a conditional node cannot be instantiated by itself");
    if (conditional && g->instances)
        return dev_graph_refuse(
            k,
            "a graph with conditional nodes has one instance at a time: destroy the other first");
    if (conditional && !dev_bodies_fit(k, g)) return cudaErrorInvalidValue;
    if (dev_conditions_unused(g)) {
        snprintf(k->note, sizeof k->note,
                 "cudaGraphInstantiate: a conditional handle of the graph belongs to no "
                 "conditional node");
        out->result = cudaGraphInstantiateConditionalHandleUnused;
        return cudaErrorInvalidValue;
    }
    dev_exec *x = calloc(1, sizeof *x);
    if (!x) return cudaErrorMemoryAllocation;
    x->refs = 1, x->flags = in->flags;
    x->graph = dev_graph_clone(c, g, false, 0);
    cudaError_t e = !x->graph     ? cudaErrorMemoryAllocation
                    : !rebuild(x) ? cudaErrorInvalidValue
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

/* Nodes are matched in the order they were added. */
static int compare(const dev_graph *a, const dev_graph *b, const dev_node **node,
                   const dev_node **from) {
    if (a->count != b->count) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->count; i++) {
        const dev_node *x = a->nodes[i], *y = b->nodes[i];
        *node = x, *from = y;
        if (x->type != y->type) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (x->dep_count != y->dep_count) return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t j = 0; j < x->dep_count; j++) {
            bool there = false;
            for (size_t l = 0; l < y->dep_count; l++)
                there |= y->deps[l]->index == x->deps[j]->index;
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
        dev_graph **p = dev_graph_below(a->nodes[i]->work, &n),
                  **q = dev_graph_below(b->nodes[i]->work, &m);
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
    int r = compare(x->graph, g, &node, &from);
    out->result = (uint64_t)r;
    if (node) out->node = node->origin;
    if (from) out->from = from->handle;
    if (!r && !take_over(k->c, x->graph, g)) return cudaErrorMemoryAllocation;
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
    return w->kind == DEV_WORK_HOST ||
           (w->kind == DEV_WORK_COPY &&
            (w->copy.from.at == WIRE_AT_PAGEABLE || w->copy.to.at == WIRE_AT_PAGEABLE));
}

/* The next stretch of a pageable copy: where it lies in the program's memory, and how long it
 * is. */
static uint64_t stretch(const wire_copy *w, uint64_t offset, uint64_t *address) {
    const wire_place *p = w->from.at == WIRE_AT_PAGEABLE ? &w->from : &w->to;
    uint64_t row = offset / w->width, x = offset % w->width, n = w->width - x;
    *address = p->address +
               ((p->z + row / w->height) * p->rows + p->y + row % w->height) * p->pitch + p->x + x;
    return n < WIRE_MAX_BYTES / 4 ? n : WIRE_MAX_BYTES / 4;
}

static cudaError_t run_conditional(dev_client *c, dev_stream *s, const flat *f, double after,
                                   double *end);

/* A node that needs nothing of the program. */
static cudaError_t run_node(dev_client *c, dev_stream *s, const flat *f, double from,
                            double *done) {
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
static cudaError_t run_body(dev_client *c, dev_stream *s, const list *l, double after,
                            double *end) {
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

static cudaError_t run_conditional(dev_client *c, dev_stream *s, const flat *f, double after,
                                   double *end) {
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
        if (!(item->ends = calloc(l->count + 1, sizeof *item->ends)))
            return cudaErrorMemoryAllocation;
        item->nodes = l->count;
        for (size_t i = 0; i < l->count; i++) item->ends[i] = after;
        begin(l);
    }
    if (x->stale || item->nodes != l->count)
        return cudaErrorInvalidValue; /* changed while it ran */
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
            (bytes != n ||
             dev_copy_bytes(c, &w->copy, true, item->offset, (void *)(uintptr_t)data, n)))
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
    out->value = in->attr % 2 ? k->c->graph_high[in->device] : k->c->graph_bytes[in->device];
    return cudaSuccess;
}
