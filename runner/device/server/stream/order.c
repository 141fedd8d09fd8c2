/* Order: work runs when it is submitted, unless earlier work waits for a host function of the
 * program. Then it is queued, and dev_progress() continues when the function has returned.
 *
 *   dev_submit --captured?--> graph/capture_work.c
 *              --queue empty and nothing before it?--> order_run --> run.c
 *              --otherwise--> queue */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/sim/profile.h"

#include <stdlib.h>

static bool order_before(const dev_stream *s, uint64_t seq) {
    return s->head && s->head->seq < seq;
}

/* Returns whether work number seq of stream s may run, as far as other streams are concerned. */
static bool order_free(dev_client *c, const dev_stream *s, uint64_t seq) {
    if (s->flags & cudaStreamNonBlocking) return true;
    for (const dev_stream *o = c->streams.first; o; o = o->next)
        if (o != s && o->device == s->device && !(o->flags & cudaStreamNonBlocking) &&
            (s->legacy || o->legacy) && order_before(o, seq))
            return false;
    return true;
}

typedef enum { RAN, BLOCKED, WAITS } order_outcome;

/* Runs the stream's work `i` if possible. WAITS: an event for which it waits has not happened yet;
 * BLOCKED: it waits for a service. */
static order_outcome order_run(dev_client *c, dev_stream *s, dev_item *i, cudaError_t *error) {
    const dev_work *w = i->work;
    double after = dev_stream_after(c, s, i->issued), end = after;
    bool blocked = false;
    *error = cudaSuccess;
    switch (w->kind) {
    case DEV_WORK_WAIT:
        if (w->event.event->done < w->event.seq) return WAITS;
        dev_replay_keep(c, s, w, i->issued);
        dev_concurrent_wait(c, s, w->event.event);
        end = w->event.event->when > after ? w->event.event->when : after;
        s->ready = end;
        return RAN;
    case DEV_WORK_RECORD:
        dev_replay_keep(c, s, w, i->issued);
        w->event.event->done = w->event.seq;
        w->event.event->when = after;
        dev_concurrent_record(c, s, w->event.event);
        s->ready = after;
        return RAN;
    case DEV_WORK_HOST:
        dev_replay_keep(c, s, w, i->issued);
        if (c->context[s->device].fault && !w->host.callback) return RAN;
        *error = dev_service_add(c, s, w->host.callback ? WIRE_SERVE_CALLBACK : WIRE_SERVE_FUNCTION,
                                 w->host.fn, w->host.data);
        s->ready = after;
        return *error ? RAN : BLOCKED;
    case DEV_WORK_GRAPH:
        dev_replay_keep(c, s, w, i->issued);
        *error = dev_exec_run(c, s, i, after, &end, &blocked);
        if (end > s->ready) s->ready = end;
        return blocked ? BLOCKED : RAN;
    default:
        if (w->kind == DEV_WORK_LAUNCH || w->kind == DEV_WORK_COPY || w->kind == DEV_WORK_FILL)
            dev_replay_keep(c, s, w, i->issued);
        *error = dev_work_run(c, s, w, after, &end);
        if (end > s->ready) s->ready = end;
        return RAN;
    }
}

void dev_progress(dev_client *c) {
    bool more = true;
    while (more) {
        more = false;
        for (dev_stream *s = c->streams.first; s; s = s->next)
            while (s->head && !s->busy && !dev_stopped(c) && order_free(c, s, s->head->seq)) {
                cudaError_t e;
                order_outcome o = order_run(c, s, s->head, &e);
                if (o == WAITS) break;
                if (o == BLOCKED) {
                    s->busy = true;
                    break;
                }
                if (e && !c->context[s->device].deferred) c->context[s->device].deferred = e;
                dev_stream_pop(c, s);
                more = true;
            }
    }
}

static cudaError_t order_submit(dev_call *k, dev_stream *s, const dev_work *w) {
    dev_client *c = k->c;
    double issued = *dev_clock(c, k->thread);
    if (w->kind == DEV_WORK_LAUNCH) issued -= c->s->device[s->device].profile->launch_rest_us;
    uint64_t seq = ++c->streams.seq;
    if (w->kind == DEV_WORK_RECORD) w->event.event->seq = seq;
    dev_item now = {.work = (dev_work *)(uintptr_t)w, .seq = seq, .issued = issued};
    if (w->kind == DEV_WORK_RECORD) now.work->event.seq = seq;
    /* The common case: nothing is waiting, and it runs at once. */
    if (!s->head && order_free(c, s, seq) && w->kind != DEV_WORK_HOST &&
        w->kind != DEV_WORK_GRAPH) {
        cudaError_t e;
        if (order_run(c, s, &now, &e) == RAN) return e;
    }
    if (c->budget.queued + w->bytes + DEV_ITEM_BYTES > dev_part_limit(c))
        return cudaErrorMemoryAllocation;
    dev_item *i = malloc(sizeof *i);
    if (i) *i = now, i->work = dev_work_copy(w);
    if (!i || !i->work) {
        free(i);
        return cudaErrorMemoryAllocation;
    }
    if (w->kind == DEV_WORK_GRAPH) dev_exec_retain(w->exec);
    c->budget.queued += w->bytes + DEV_ITEM_BYTES;
    if (s->tail) s->tail->next = i;
    else s->head = i;
    s->tail = i;
    dev_progress(c);
    return cudaSuccess;
}

cudaError_t dev_submit(dev_call *k, dev_stream *s, const dev_work *w) {
    if (s->capture) return dev_capture_work(k, s, w);
    if (s->legacy && k->c->streams.captures && dev_capture_blocking(k->c, s->device))
        return cudaErrorStreamCaptureImplicit;
    /* nothing runs any more */
    if (k->c->context[s->device].fault && w->kind != DEV_WORK_HOST)
        return k->c->context[s->device].sticky;
    return order_submit(k, s, w);
}

bool dev_idle(dev_client *c, unsigned device, const dev_stream *s) {
    for (const dev_stream *o = c->streams.first; o; o = o->next) {
        if (!o->head || o->device != device) continue;
        if (!s || o == s || (s->legacy && !(o->flags & cudaStreamNonBlocking))) return false;
    }
    return true;
}

bool dev_wait(dev_call *k, dev_stream *s) {
    dev_client *c = k->c;
    double *clock = dev_clock(c, k->thread), end = *clock;
    if (!dev_idle(c, s ? s->device : k->device, s)) return k->again = true;
    if (s) end = dev_stream_after(c, s, end);
    else {
        if (c->times.engine[k->device].tail > end) end = c->times.engine[k->device].tail;
        for (const dev_stream *o = c->streams.first; o; o = o->next)
            if (o->device == k->device && o->ready > end) end = o->ready;
    }
    *clock = end;
    unsigned device = s ? s->device : k->device;
    if (c->context[device].fault) c->context[device].sticky = c->context[device].fault;
    dev_concurrent_host(c, device, s);
    return false;
}
