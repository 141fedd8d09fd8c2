/* Captures: which streams take part, on what their next node depends, and what is forbidden
 * meanwhile. A capture begins on one stream and spreads to others through events. Calls that would
 * wait or allocate are refused and invalidate it. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/capture.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>
#include <string.h>

/* ---- dependencies of a stream's next node */

/* Returns room for n handles, which is paid for; the old list stays until tail_put(). NULL: memory
 * is out. */
static uint64_t *tail_room(dev_client *c, size_t n) {
    uint64_t *room = dev_hold(c, n * sizeof *room) ? malloc((n + 1) * sizeof *room) : NULL;
    return room;
}
static void tail_put(dev_client *c, dev_stream *s, uint64_t *nodes, size_t count, size_t room) {
    dev_let_go(c, s->tail_room * sizeof *nodes);
    free(s->tail_nodes);
    s->tail_nodes = nodes, s->tail_count = count, s->tail_room = room;
}

bool dev_capture_set_tail(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n) {
    uint64_t *copy = tail_room(c, n);
    if (!copy) return false;
    if (n) memcpy(copy, nodes, n * sizeof *copy);
    tail_put(c, s, copy, n, n);
    return true;
}

bool dev_capture_join(dev_client *c, dev_stream *s, const uint64_t *nodes, size_t n) {
    size_t count = s->tail_count, room = count + n;
    uint64_t *all = tail_room(c, room);
    if (!all) return false;
    if (count) memcpy(all, s->tail_nodes, count * sizeof *all);
    for (size_t i = 0; i < n && !dev_stopped(c); i++) {
        bool there = false;
        for (size_t j = 0; j < count; j++) there |= all[j] == nodes[i];
        if (!there) all[count++] = nodes[i];
    }
    tail_put(c, s, all, count, room);
    return true;
}

bool dev_capture_joined(dev_client *c, const dev_capture *cap, const dev_stream *only) {
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
    for (const dev_stream *s = c->streams.first; ok && s; s = s->next) {
        if (s->capture != cap || s == cap->origin || (only && s != only)) continue;
        for (size_t i = 0; i < s->tail_count; i++) {
            const dev_node *t = dev_object(c, s->tail_nodes[i], DEV_NODE);
            if (t && t->graph == cap->graph && !seen[t->index]) ok = false;
        }
    }
    free(seen), free(todo);
    return ok;
}

/* ---- refusals */

static bool capture_blocks(const dev_stream *s, unsigned device) {
    return s->capture && s->device == device && !(s->flags & cudaStreamNonBlocking);
}

bool dev_capture_blocks(const dev_client *c, unsigned device) {
    for (const dev_stream *s = c->streams.first; s; s = s->next)
        if (capture_blocks(s, device)) return true;
    return false;
}

bool dev_capture_blocking(dev_client *c, unsigned device) {
    bool any = false;
    for (dev_stream *s = c->streams.first; s; s = s->next)
        if (capture_blocks(s, device)) s->capture->spoilt = any = true;
    return any;
}

cudaError_t dev_capture_forbids(dev_call *k, dev_stream *s, bool unsafe) {
    dev_client *c = k->c;
    if (!c->streams.captures) return cudaSuccess;
    if (s && s->capture) {
        s->capture->spoilt = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (s && s->legacy && dev_capture_blocking(c, s->device)) return cudaErrorStreamCaptureImplicit;
    if (!unsafe || k->flags & WIRE_F_RELAXED) return cudaSuccess;
    bool any = false;
    for (dev_stream *o = c->streams.first; o; o = o->next) {
        if (!o->capture || (o->capture->mode != cudaStreamCaptureModeGlobal &&
                            (o->capture->mode != cudaStreamCaptureModeThreadLocal ||
                             o->capture->thread != k->thread)))
            continue;
        o->capture->spoilt = any = true;
    }
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* ---- events */

cudaError_t dev_capture_event(dev_client *c, dev_stream *s, dev_mark *e) {
    if (s->capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    if (!dev_hold(c, s->tail_count * sizeof *e->deps)) return cudaErrorMemoryAllocation;
    uint64_t *deps = malloc((s->tail_count + 1) * sizeof *deps);
    if (!deps) {
        dev_let_go(c, s->tail_count * sizeof *e->deps);
        return cudaErrorMemoryAllocation;
    }
    if (s->tail_count) memcpy(deps, s->tail_nodes, s->tail_count * sizeof *deps);
    dev_mark_forget(c, e);
    e->deps = deps, e->dep_count = s->tail_count, e->capture = s->capture;
    return cudaSuccess;
}

cudaError_t dev_capture_wait(dev_client *c, dev_stream *s, dev_mark *e) {
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
    return dev_capture_join(c, s, e->deps, e->dep_count) ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool dev_capture_left(dev_client *c, const dev_stream *s) {
    return s != s->capture->origin && dev_capture_joined(c, s->capture, s);
}

/* ---- the end */

void dev_capture_close(dev_client *c, dev_capture *cap) {
    for (dev_stream *s = c->streams.first; s; s = s->next)
        if (s->capture == cap) s->capture = NULL, s->tail_count = 0;
    for (size_t i = 0; i < c->objects.count; i++) {
        if (c->objects.slot[i].kind != DEV_EVENT) continue;
        dev_mark *e = c->objects.slot[i].object;
        if (e->capture != cap) continue;
        dev_mark_forget(c, e);
        e->capture = NULL, e->recorded = false;
    }
    c->streams.captures--;
    free(cap);
}

void dev_capture_forget(dev_client *c, const dev_graph *g) {
    for (dev_stream *s = c->streams.first; s; s = s->next)
        if (s->capture && s->capture->graph == g) dev_capture_close(c, s->capture);
}

void dev_capture_free(dev_client *c) {
    for (dev_stream *s = c->streams.first; s; s = s->next)
        if (s->capture) dev_capture_close(c, s->capture);
}
