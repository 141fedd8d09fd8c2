/* Runs an instance node by node, until a node needs the program. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/device/server/graph/exec.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/memory.h"

#include <stdlib.h>

static bool needs_program(const dev_work *w) {
    return w->kind == DEV_WORK_HOST ||
           (w->kind == DEV_WORK_COPY &&
            (w->copy.from.at == WIRE_AT_PAGEABLE || w->copy.to.at == WIRE_AT_PAGEABLE));
}

/* Returns the next part of a pageable copy: its place in the program's memory, and its length. */
static uint64_t copy_stretch(const wire_copy *w, uint64_t offset, uint64_t *address) {
    const wire_place *p = w->from.at == WIRE_AT_PAGEABLE ? &w->from : &w->to;
    uint64_t row = offset / w->width, x = offset % w->width, n = w->width - x;
    *address = p->address +
               ((p->z + row / w->height) * p->rows + p->y + row % w->height) * p->pitch + p->x + x;
    return n < WIRE_MAX_BYTES / 4 ? n : WIRE_MAX_BYTES / 4;
}

/* depth: how deep a list is in bodies of conditional nodes; the instance's own: 0. */
static cudaError_t run_conditional(dev_client *c, dev_stream *s, const dev_flat *f, unsigned depth,
                                   double after, double *end);

/* Runs a node that does not need the program. */
static cudaError_t run_node(dev_client *c, dev_stream *s, const dev_flat *f, unsigned depth,
                            double from, double *done) {
    const dev_work *w = f->node->work;
    *done = from;
    switch (w->kind) {
    case DEV_WORK_RECORD:
        w->event.event->recorded = true, w->event.event->when = from;
        w->event.event->done = w->event.event->seq;
        dev_concurrent_record(c, s, w->event.event);
        return cudaSuccess;
    case DEV_WORK_WAIT:
        if (w->event.event->when > from) *done = w->event.event->when;
        dev_concurrent_wait(c, s, w->event.event);
        return cudaSuccess;
    case DEV_WORK_CONDITIONAL: return run_conditional(c, s, f, depth, from, done);
    default: break;
    }
    c->log.in_graph = true, c->log.follows = f->dep_count > 0;
    if (w->kind == DEV_WORK_LAUNCH || w->kind == DEV_WORK_COPY || w->kind == DEV_WORK_FILL)
        dev_replay_keep(c, s, w, 0);
    cudaError_t error = dev_work_run(c, s, w, from, done);
    c->log.in_graph = c->log.follows = false;
    return error;
}

static double node_start(const dev_flat *f, const double *ends, double after) {
    for (size_t j = 0; j < f->dep_count; j++)
        if (ends[f->deps[j]] > after) after = ends[f->deps[j]];
    return after;
}

/* Runs a body once. Nothing in it needs the program (conditional.c), so it never stops halfway. */
static cudaError_t run_body(dev_client *c, dev_stream *s, const dev_order *l, unsigned depth,
                            double after, double *end) {
    cudaError_t error = cudaSuccess;
    uint64_t launch = dev_concurrent_launch(c);
    double *ends = malloc((l->count + 1) * sizeof *ends);
    if (!ends) return cudaErrorMemoryAllocation;
    *end = after;
    for (size_t i = 0; i < l->count && !dev_stopped(c); i++) {
        const dev_flat *f = &l->at[i];
        ends[i] = node_start(f, ends, after);
        if (f->node && f->node->enabled && !c->context[s->device].fault) {
            dev_concurrent_node(c, depth, launch, i, &l->order);
            cudaError_t e = run_node(c, s, f, depth, ends[i], &ends[i]);
            dev_concurrent_node(c, depth, 0, 0, NULL);
            if (e && !error) error = e;
        }
        if (ends[i] > *end) *end = ends[i];
    }
    free(ends);
    return error;
}

static cudaError_t run_conditional(dev_client *c, dev_stream *s, const dev_flat *f, unsigned depth,
                                   double after, double *end) {
    const dev_work *w = f->node->work;
    dev_condition *on = w->conditional.on;
    uint32_t value = dev_condition_read(c, on), body = value;
    cudaError_t error = cudaSuccess;
    *end = after;
    if (w->conditional.type == cudaGraphCondTypeWhile) {
        dev_loop loop = {.before = c->limits.work};
        for (; value && dev_loop_goes_on(c, s->device, &loop); value = dev_condition_read(c, on)) {
            cudaError_t e = run_body(c, s, &f->bodies[0], depth + 1, *end, end);
            if (e && !error) error = e;
        }
        return error;
    }
    if (w->conditional.type == cudaGraphCondTypeIf) body = !value;
    return body < f->body_count ? run_body(c, s, &f->bodies[body], depth + 1, after, end)
                                : cudaSuccess;
}

/* The instance is launched: conditions with a default get it. */
static void list_begin(const dev_order *l) {
    for (size_t i = 0; i < l->count; i++) {
        const dev_flat *f = &l->at[i];
        if (!f->bodies) continue;
        dev_condition_launch(f->node->work->conditional.on);
        for (uint32_t b = 0; b < f->body_count; b++) list_begin(&f->bodies[b]);
    }
}

cudaError_t dev_exec_run(dev_client *c, dev_stream *s, dev_item *item, double after, double *end,
                         bool *blocked) {
    dev_exec *x = item->work->exec;
    const dev_order *l = &x->list;
    cudaError_t error = cudaSuccess;
    if (!item->ends) {
        if (x->stale && !dev_exec_rebuild(c, x)) return cudaErrorMemoryAllocation;
        uint64_t bytes = (l->count + 1) * sizeof *item->ends;
        if (!dev_hold(c, bytes)) return cudaErrorMemoryAllocation;
        if (!(item->ends = calloc(1, bytes))) {
            dev_let_go(c, bytes);
            return cudaErrorMemoryAllocation;
        }
        item->nodes = l->count;
        item->launch = dev_concurrent_launch(c);
        dev_exec_order(c, x);
        for (size_t i = 0; i < l->count; i++) item->ends[i] = after;
        list_begin(l);
    }
    /* changed while it ran */
    if (x->stale || item->nodes != l->count) return cudaErrorInvalidValue;
    for (; item->at < l->count; item->at++) {
        if (dev_stopped(c) && !c->context[s->device].fault)
            c->context[s->device].fault = error = cudaErrorLaunchTimeout;
        const dev_flat *f = &l->at[item->at];
        double from = node_start(f, item->ends, after);
        item->ends[item->at] = from;
        if (!f->node || !f->node->enabled || c->context[s->device].fault) continue;
        const dev_work *w = f->node->work;
        if (needs_program(w)) {
            uint64_t address = 0, n = 0;
            if (w->kind == DEV_WORK_COPY) n = copy_stretch(&w->copy, item->offset, &address);
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
        dev_concurrent_node(c, 0, item->launch, item->at, &l->order);
        cudaError_t e = run_node(c, s, f, 0, from, &item->ends[item->at]);
        dev_concurrent_node(c, 0, 0, 0, NULL);
        if (e && !error) error = e;
    }
    *end = after;
    for (size_t i = 0; i < l->count; i++)
        if (item->ends[i] > *end) *end = item->ends[i];
    return error;
}

/* Returns the bytes that the program must write into its memory. */
cudaError_t dev_exec_bytes(dev_client *c, dev_stream *s, void *to, size_t bytes) {
    const dev_item *i = s->head;
    const dev_exec *x = i && i->work->kind == DEV_WORK_GRAPH ? i->work->exec : NULL;
    if (!x || x->stale || i->at >= x->list.count) return cudaErrorUnknown;
    const dev_node *n = x->list.at[i->at].node;
    if (!n || n->work->kind != DEV_WORK_COPY) return cudaErrorUnknown;
    return dev_copy_bytes(c, &n->work->copy, false, i->offset, to, bytes);
}

/* The program has done what the node at item->at needed. */
void dev_exec_served(dev_client *c, dev_stream *s, dev_item *item, int what, const uint8_t *data,
                     size_t bytes) {
    const dev_exec *x = item->work->exec;
    if (x->stale || item->at >= x->list.count || !x->list.at[item->at].node) return;
    const dev_work *w = x->list.at[item->at].node->work;
    if (w->kind == DEV_WORK_COPY && (what == WIRE_SERVE_READ || what == WIRE_SERVE_WRITE)) {
        uint64_t address, total = w->copy.width * w->copy.height * w->copy.depth,
                          n = copy_stretch(&w->copy, item->offset, &address);
        /* it did not: the copy fails */
        if (what == WIRE_SERVE_READ &&
            (bytes != n ||
             dev_copy_bytes(c, &w->copy, true, item->offset, (void *)(uintptr_t)data, n)))
            n = total - item->offset;
        item->offset += n;
        if (item->offset < total) return;
        double start, end;
        bool to_device = what == WIRE_SERVE_READ;
        dev_move move = {.direction = to_device ? DEV_DIR_H2D : DEV_DIR_D2H,
                         .pageable = true,
                         .async = true,
                         .bytes = total};
        dev_place_copy(c, s->device, &move, item->ends[item->at], &start, &end);
        dev_record *r = dev_log(c, to_device ? DEV_OP_H2D : DEV_OP_D2H, s->device, s, start, end,
                                total, SIM_OK);
        if (r) {
            r->pageable = r->in_graph = true;
            r->misdirected = dev_copy_misdirected(c, s->device, &w->copy);
        }
        dev_concurrent_begin(c, s);
        dev_concurrent_node(c, 0, item->launch, item->at, &x->list.order);
        dev_concurrent_copy(c, s, to_device ? DEV_OP_H2D : DEV_OP_D2H, &w->copy.to, &w->copy.from,
                            (uint64_t[3]){w->copy.width, w->copy.height, w->copy.depth});
        dev_concurrent_node(c, 0, 0, 0, NULL);
        item->ends[item->at] = end;
        item->offset = 0;
    } else if (s->ready > item->ends[item->at]) {
        item->ends[item->at] = s->ready;
    }
    item->at++;
}
