/* Stream capture: work of a capturing stream becomes nodes of a graph. A capture begins on one
 * stream and spreads to others through events; what would wait or allocate is refused and spoils
 * it. */
#include "runner/device/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the next node of a stream depends on */

static bool set_tail(dev_stream *s, const uint64_t *nodes, size_t n) {
    uint64_t *copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return false;
    if (n) memcpy(copy, nodes, n * sizeof *copy);
    free(s->tail_nodes);
    s->tail_nodes = copy, s->tail_count = n;
    return true;
}

static bool join(dev_stream *s, const uint64_t *nodes, size_t n) {
    uint64_t *all = malloc((s->tail_count + n + 1) * sizeof *all);
    size_t count = s->tail_count;
    if (!all) return false;
    if (count) memcpy(all, s->tail_nodes, count * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t j = 0; j < count; j++) there |= all[j] == nodes[i];
        if (!there) all[count++] = nodes[i];
    }
    free(s->tail_nodes);
    s->tail_nodes = all, s->tail_count = count;
    return true;
}

/* ---- refusals */

bool dev_capture_blocking(dev_client *c, unsigned device) {
    bool any = false;
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->capture && s->device == device && !(s->flags & cudaStreamNonBlocking))
            s->capture->spoilt = any = true;
    return any;
}

cudaError_t dev_capture_forbids(dev_call *k, dev_stream *s, bool unsafe) {
    dev_client *c = k->c;
    if (!c->captures) return cudaSuccess;
    if (s && s->capture) {
        s->capture->spoilt = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (s && s->legacy && dev_capture_blocking(c, s->device)) return cudaErrorStreamCaptureImplicit;
    if (!unsafe || k->flags & WIRE_F_RELAXED) return cudaSuccess;
    bool any = false;
    for (dev_stream *o = c->streams; o; o = o->next) {
        if (!o->capture || (o->capture->mode != cudaStreamCaptureModeGlobal &&
                            (o->capture->mode != cudaStreamCaptureModeThreadLocal ||
                             o->capture->thread != k->thread)))
            continue;
        o->capture->spoilt = any = true;
    }
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* ---- work */

static cudaError_t forbidden(dev_capture *cap, dev_node **deps) {
    cap->spoilt = true;
    free(deps);
    return cudaErrorStreamCaptureUnsupported;
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
    dev_work *copy;
    if (w->kind == DEV_WORK_GRAPH) { /* launching a graph makes it a child */
        dev_work child = {.kind = DEV_WORK_CHILD, .device = w->device, .bytes = sizeof child};
        if (dev_graph_conditional(dev_exec_graph(w->exec))) {
            snprintf(k->note, sizeof k->note,
                     "a graph with conditional nodes cannot be a child graph: its launch cannot be "
                     "captured");
            return forbidden(cap, deps);
        }
        child.child =
            dev_graph_clone(c, dev_exec_graph(w->exec), true, dev_graph_depth(cap->graph) + 1);
        copy = child.child ? dev_work_copy(&child) : NULL;
        if (!copy && child.child) dev_graph_free(c, child.child);
    } else {
        copy = dev_work_copy(w);
    }
    dev_node *node = copy ? dev_graph_add(c, cap->graph, types[w->kind], copy, deps, n) : NULL;
    free(deps);
    if (!node || !set_tail(s, &node->handle, 1)) {
        cap->spoilt = true;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t dev_capture_event(dev_call *k, dev_stream *s, dev_mark *e) {
    (void)k;
    if (s->capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    uint64_t *deps = malloc((s->tail_count + 1) * sizeof *deps);
    if (!deps) return cudaErrorMemoryAllocation;
    if (s->tail_count) memcpy(deps, s->tail_nodes, s->tail_count * sizeof *deps);
    free(e->deps);
    e->deps = deps, e->dep_count = s->tail_count, e->capture = s->capture;
    return cudaSuccess;
}

cudaError_t dev_capture_wait(dev_call *k, dev_stream *s, dev_mark *e) {
    (void)k;
    if (!e->capture) { /* an event from outside */
        if (!e->recorded) return cudaSuccess;
        s->capture->spoilt = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (s->capture && s->capture != e->capture) {
        s->capture->spoilt = e->capture->spoilt = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (e->capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    if (!s->capture) {
        if (s->legacy) {
            e->capture->spoilt = true;
            return cudaErrorStreamCaptureImplicit;
        }
        s->capture = e->capture;
        s->tail_count = 0;
    }
    return join(s, e->deps, e->dep_count) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ---- begin, end, questions */

static cudaError_t begin(dev_call *k, uint64_t stream, int mode, dev_graph *g) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (mode < 0 || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (s->legacy) return cudaErrorStreamCaptureUnsupported;
    if (s->capture) return cudaErrorIllegalState;
    dev_capture *cap = calloc(1, sizeof *cap);
    if (!cap) return cudaErrorMemoryAllocation;
    cap->own = !g;
    cap->graph = g ? g : dev_graph_new(c, true);
    if (!cap->graph) {
        free(cap);
        return cudaErrorMemoryAllocation;
    }
    cap->mode = mode, cap->thread = k->thread, cap->id = ++c->next_capture, cap->origin = s;
    s->capture = cap;
    s->tail_count = 0;
    c->captures++;
    return cudaSuccess;
}
cudaError_t dev_on_cudaStreamBeginCapture(dev_call *k,
                                          const struct wire_in_cudaStreamBeginCapture *in,
                                          struct wire_out_cudaStreamBeginCapture *out) {
    (void)out;
    return begin(k, in->stream, (int)in->mode, NULL);
}
cudaError_t dev_on_CaptureToGraph(dev_call *k, const struct wire_in_CaptureToGraph *in,
                                  struct wire_out_CaptureToGraph *out) {
    dev_graph *g = dev_object(k->c, in->graph, DEV_GRAPH);
    dev_node **deps;
    size_t n;
    (void)out;
    if (!g || !dev_graph_nodes(k->c, g, k->span[0], k->span_bytes[0], &deps, &n))
        return cudaErrorInvalidValue;
    free(deps);
    cudaError_t e = begin(k, in->stream, (int)in->mode, g);
    if (!e && !set_tail(dev_stream_get(k, in->stream), (const uint64_t *)k->span[0], n))
        e = cudaErrorMemoryAllocation;
    return e;
}

/* Whether all nodes that other streams captured last are among those that the origin's last ones
 * depend on. */
static bool joined(dev_client *c, const dev_capture *cap) {
    size_t n = cap->graph->count, top = 0;
    bool *seen = calloc(n + 1, sizeof *seen), ok = seen != NULL;
    const dev_node **todo = malloc((n + 1) * sizeof(dev_node *));
    ok = ok && todo;
    for (size_t i = 0; ok && i < cap->origin->tail_count; i++) {
        const dev_node *t = dev_object(c, cap->origin->tail_nodes[i], DEV_NODE);
        if (t && t->graph == cap->graph && !seen[t->index]) seen[t->index] = true, todo[top++] = t;
    }
    while (ok && top) {
        const dev_node *t = todo[--top];
        for (size_t i = 0; i < t->dep_count; i++)
            if (!seen[t->deps[i]->index]) seen[t->deps[i]->index] = true, todo[top++] = t->deps[i];
    }
    for (const dev_stream *s = c->streams; ok && s; s = s->next) {
        if (s->capture != cap || s == cap->origin) continue;
        for (size_t i = 0; i < s->tail_count; i++) {
            const dev_node *t = dev_object(c, s->tail_nodes[i], DEV_NODE);
            if (t && t->graph == cap->graph && !seen[t->index]) ok = false;
        }
    }
    free(seen), free(todo);
    return ok;
}

/* The capture is over for everybody that took part. */
static void close_capture(dev_client *c, dev_capture *cap) {
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->capture == cap) s->capture = NULL, s->tail_count = 0;
    for (size_t i = 0; i < c->object_count; i++) {
        if (c->objects[i].kind != DEV_EVENT) continue;
        dev_mark *e = c->objects[i].object;
        if (e->capture == cap) e->capture = NULL, e->recorded = false, e->dep_count = 0;
    }
    c->captures--;
    free(cap);
}

cudaError_t dev_on_cudaStreamEndCapture(dev_call *k, const struct wire_in_cudaStreamEndCapture *in,
                                        struct wire_out_cudaStreamEndCapture *out) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    dev_capture *cap = s->capture;
    if (!cap) return cudaErrorIllegalState;
    if (cap->origin != s) return cudaErrorStreamCaptureUnmatched;
    if (cap->mode != cudaStreamCaptureModeRelaxed && cap->thread != k->thread)
        return cudaErrorStreamCaptureWrongThread;
    cudaError_t e = cap->spoilt      ? cudaErrorStreamCaptureInvalidated
                    : joined(c, cap) ? cudaSuccess
                                     : cudaErrorStreamCaptureUnjoined;
    dev_graph *g = cap->graph;
    bool own = cap->own;
    close_capture(c, cap);
    if (e && own) dev_graph_free(c, g);
    if (!e) out->pGraph = g->handle;
    return e;
}

void dev_capture_forget(dev_client *c, const dev_graph *g) {
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->capture && s->capture->graph == g) close_capture(c, s->capture);
}

void dev_capture_free(dev_client *c) {
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->capture) close_capture(c, s->capture);
}

cudaError_t dev_on_cudaStreamIsCapturing(dev_call *k,
                                         const struct wire_in_cudaStreamIsCapturing *in,
                                         struct wire_out_cudaStreamIsCapturing *out) {
    const dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->legacy && k->c->captures && dev_capture_blocking(k->c, s->device))
        return cudaErrorStreamCaptureImplicit;
    out->pCaptureStatus = !s->capture          ? cudaStreamCaptureStatusNone
                          : s->capture->spoilt ? cudaStreamCaptureStatusInvalidated
                                               : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}
cudaError_t dev_on_CaptureInfo(dev_call *k, const struct wire_in_CaptureInfo *in,
                               struct wire_out_CaptureInfo *out) {
    const dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!s->capture) return cudaSuccess;
    out->status =
        s->capture->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    out->id = s->capture->id, out->graph = s->capture->graph->handle;
    return dev_answer(k, s->tail_nodes, (s->tail_count < 1024 ? s->tail_count : 1024) * 8);
}
cudaError_t dev_on_CaptureDependencies(dev_call *k, const struct wire_in_CaptureDependencies *in,
                                       struct wire_out_CaptureDependencies *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    dev_node **nodes;
    size_t n;
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!s->capture || s->capture->spoilt) return cudaErrorIllegalState;
    if (!dev_graph_nodes(k->c, s->capture->graph, k->span[0], k->span_bytes[0], &nodes, &n))
        return cudaErrorInvalidValue;
    free(nodes);
    bool ok = in->replace ? set_tail(s, (const uint64_t *)k->span[0], n)
                          : join(s, (const uint64_t *)k->span[0], n);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}
