/* Streams and events: order. Work runs when its call comes, unless something before it in the order
 * waits for a host function of the program; then it is queued, and dev_progress() goes on when the
 * function has returned.
 *
 *   dev_submit --captured?--> capture.c
 *              --queue empty and nothing before it?--> run_item --> work.c
 *              --else--> queue */
#include "runner/device/server.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding streams */

static dev_stream *stream_new(dev_client *c, unsigned device, unsigned flags, int priority) {
    dev_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->device = device, s->flags = flags, s->priority = priority;
    s->id = c->next_stream++;
    s->next = c->streams;
    c->streams = s;
    return s;
}

dev_stream *dev_stream_default(dev_client *c, unsigned device) {
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->legacy && s->device == device) return s;
    dev_stream *s = stream_new(c, device, 0, 0);
    if (!s) return NULL;
    s->legacy = true;
    s->id = 0;
    c->next_stream--;
    return s;
}

static dev_stream *per_thread(dev_client *c, unsigned device, unsigned thread) {
    for (dev_stream *s = c->streams; s; s = s->next)
        if (s->per_thread && s->device == device && s->thread == thread) return s;
    dev_stream *s = stream_new(c, device, 0, 0);
    if (s) s->per_thread = true, s->thread = thread;
    return s;
}

dev_stream *dev_stream_get(dev_call *k, uint64_t h) {
    if (h == 0) h = k->flags & WIRE_F_PER_THREAD ? WL_PER_THREAD : WL_LEGACY;
    if (h == WL_LEGACY) return dev_stream_default(k->c, k->device);
    if (h == WL_PER_THREAD) return per_thread(k->c, k->device, k->thread);
    return dev_object(k->c, h, DEV_STREAM);
}

/* ---- order */

static bool before(const dev_stream *s, uint64_t seq) {
    return s->head && s->head->seq < seq;
}

/* Whether work number seq of stream s may run as far as other streams go. */
static bool free_to_run(dev_client *c, const dev_stream *s, uint64_t seq) {
    if (s->flags & cudaStreamNonBlocking) return true;
    for (const dev_stream *o = c->streams; o; o = o->next)
        if (o != s && o->device == s->device && !(o->flags & cudaStreamNonBlocking) &&
            (s->legacy || o->legacy) && before(o, seq))
            return false;
    return true;
}

typedef enum { RAN, BLOCKED, WAITS } outcome;

/* Runs the stream's work `i` if it can; WAITS: an event it waits for has not happened yet; BLOCKED:
 * it waits for a service. */
static outcome run_item(dev_client *c, dev_stream *s, dev_item *i, cudaError_t *error) {
    const dev_work *w = i->work;
    double after = dev_stream_after(c, s, i->issued), end = after;
    bool blocked = false;
    *error = cudaSuccess;
    switch (w->kind) {
    case DEV_WORK_WAIT:
        if (w->event.event->done < w->event.seq) return WAITS;
        dev_log_work(c, s, w, i->issued);
        end = w->event.event->when > after ? w->event.event->when : after;
        s->ready = end;
        return RAN;
    case DEV_WORK_RECORD:
        dev_log_work(c, s, w, i->issued);
        w->event.event->done = w->event.seq;
        w->event.event->when = after;
        s->ready = after;
        return RAN;
    case DEV_WORK_HOST:
        dev_log_work(c, s, w, i->issued);
        if (c->fault[s->device] && !w->host.callback) return RAN;
        *error = dev_service_add(c, s, w->host.callback ? WIRE_SERVE_CALLBACK : WIRE_SERVE_FUNCTION,
                                 w->host.fn, w->host.data);
        s->ready = after;
        return *error ? RAN : BLOCKED;
    case DEV_WORK_GRAPH:
        dev_log_work(c, s, w, i->issued);
        *error = dev_exec_run(c, s, i, after, &end, &blocked);
        if (end > s->ready) s->ready = end;
        return blocked ? BLOCKED : RAN;
    default:
        if (w->kind == DEV_WORK_LAUNCH || w->kind == DEV_WORK_COPY || w->kind == DEV_WORK_FILL)
            dev_log_work(c, s, w, i->issued);
        *error = dev_work_run(c, s, w, after, &end);
        if (end > s->ready) s->ready = end;
        return RAN;
    }
}

static void item_free(dev_client *c, dev_item *i) {
    free(i->ends);
    dev_work_free(c, i->work);
    free(i);
}

/* Runs whatever can run now. */
void dev_progress(dev_client *c) {
    bool more = true;
    while (more) {
        more = false;
        for (dev_stream *s = c->streams; s; s = s->next)
            while (s->head && !s->busy && free_to_run(c, s, s->head->seq)) {
                dev_item *i = s->head;
                cudaError_t e;
                outcome o = run_item(c, s, i, &e);
                if (o == WAITS) break;
                if (o == BLOCKED) {
                    s->busy = true;
                    break;
                }
                if (e && !c->deferred[s->device]) c->deferred[s->device] = e;
                s->head = i->next;
                if (!s->head) s->tail = NULL;
                c->queue_bytes -= i->work->bytes;
                item_free(c, i);
                more = true;
            }
    }
}

static cudaError_t submit(dev_call *k, dev_stream *s, const dev_work *w) {
    dev_client *c = k->c;
    double issued = *dev_clock(c, k->thread);
    uint64_t seq = ++c->seq;
    if (w->kind == DEV_WORK_RECORD) w->event.event->seq = seq;
    dev_item now = {.work = (dev_work *)(uintptr_t)w, .seq = seq, .issued = issued};
    if (w->kind == DEV_WORK_RECORD) now.work->event.seq = seq;
    /* The common case: nothing is waiting, and it runs at once. */
    if (!s->head && free_to_run(c, s, seq) && w->kind != DEV_WORK_HOST &&
        w->kind != DEV_WORK_GRAPH) {
        cudaError_t e;
        if (run_item(c, s, &now, &e) == RAN) return e;
    }
    if (c->queue_bytes + w->bytes > DEV_QUEUE_BYTES) return cudaErrorMemoryAllocation;
    dev_item *i = malloc(sizeof *i);
    if (i) *i = now, i->work = dev_work_copy(w);
    if (!i || !i->work) {
        free(i);
        return cudaErrorMemoryAllocation;
    }
    c->queue_bytes += w->bytes;
    if (s->tail) s->tail->next = i;
    else s->head = i;
    s->tail = i;
    dev_progress(c);
    return cudaSuccess;
}

cudaError_t dev_submit(dev_call *k, dev_stream *s, const dev_work *w) {
    if (s->capture) return dev_capture_work(k, s, w);
    if (s->legacy && k->c->captures && dev_capture_blocking(k->c, s->device))
        return cudaErrorStreamCaptureImplicit;
    if (k->c->fault[s->device] && w->kind != DEV_WORK_HOST)
        return k->c->sticky[s->device]; /* nothing runs any more */
    return submit(k, s, w);
}

bool dev_idle(dev_client *c, unsigned device, const dev_stream *s) {
    for (const dev_stream *o = c->streams; o; o = o->next) {
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
        if (c->engine[k->device].tail > end) end = c->engine[k->device].tail;
        for (const dev_stream *o = c->streams; o; o = o->next)
            if (o->device == k->device && o->ready > end) end = o->ready;
    }
    *clock = end;
    unsigned device = s ? s->device : k->device;
    if (c->fault[device]) c->sticky[device] = c->fault[device];
    return false;
}

/* ---- streams' calls */

static cudaError_t create(dev_call *k, unsigned flags, int priority, uint64_t *out) {
    if (flags > 1) return cudaErrorInvalidValue;
    if (priority > 0) priority = 0;
    if (priority < -5) priority = -5;
    dev_stream *s = stream_new(k->c, k->device, flags, priority);
    if (!s) return cudaErrorMemoryAllocation;
    s->handle = dev_object_new(k->c, DEV_STREAM, s);
    if (!s->handle) {
        k->c->streams = s->next;
        free(s);
        return cudaErrorMemoryAllocation;
    }
    s->ready = *dev_clock(k->c, k->thread);
    dev_spend(k, DEV_COST_EVENT);
    *out = s->handle;
    return cudaSuccess;
}
cudaError_t dev_on_cudaStreamCreate(dev_call *k, const struct wire_in_cudaStreamCreate *in,
                                    struct wire_out_cudaStreamCreate *out) {
    (void)in;
    return create(k, 0, 0, &out->pStream);
}
cudaError_t dev_on_cudaStreamCreateWithFlags(dev_call *k,
                                             const struct wire_in_cudaStreamCreateWithFlags *in,
                                             struct wire_out_cudaStreamCreateWithFlags *out) {
    return create(k, (unsigned)in->flags, 0, &out->pStream);
}
cudaError_t
dev_on_cudaStreamCreateWithPriority(dev_call *k,
                                    const struct wire_in_cudaStreamCreateWithPriority *in,
                                    struct wire_out_cudaStreamCreateWithPriority *out) {
    return create(k, (unsigned)in->flags, (int)in->priority, &out->pStream);
}

static void stream_free(dev_client *c, dev_stream *s) {
    for (dev_stream **p = &c->streams; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    while (s->head) {
        dev_item *i = s->head;
        s->head = i->next;
        item_free(c, i);
    }
    dev_log_forget_stream(c, s);
    free(s->tail_nodes);
    free(s);
}

cudaError_t dev_on_cudaStreamDestroy(dev_call *k, const struct wire_in_cudaStreamDestroy *in,
                                     struct wire_out_cudaStreamDestroy *out) {
    dev_stream *s = dev_object(k->c, in->stream, DEV_STREAM);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->capture) return cudaErrorStreamCaptureUnsupported;
    /* The runtime returns at once and the work goes on; here the stream has to stay until then. */
    if (!dev_idle(k->c, s->device, s)) {
        k->again = true;
        return cudaSuccess;
    }
    dev_object_drop(k->c, s->handle);
    if (k->c->engine[s->device].tail < s->ready) k->c->engine[s->device].tail = s->ready;
    /* What later work of the legacy stream waits for. */
    dev_stream *legacy = dev_stream_default(k->c, s->device);
    if (legacy && !(s->flags & cudaStreamNonBlocking) && legacy->ready < s->ready)
        legacy->ready = s->ready;
    stream_free(k->c, s);
    return cudaSuccess;
}

void dev_streams_free(dev_client *c) {
    dev_capture_free(c);
    while (c->streams) stream_free(c, c->streams);
}

cudaError_t dev_on_cudaStreamSynchronize(dev_call *k,
                                         const struct wire_in_cudaStreamSynchronize *in,
                                         struct wire_out_cudaStreamSynchronize *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    cudaError_t e = dev_capture_forbids(k, s, false);
    if (e) return e;
    if (dev_wait(k, s)) return cudaSuccess;
    dev_spend(k, DEV_COST_SYNC);
    dev_log_call(k, DEV_OP_SYNC, 0, cudaSuccess);
    return k->c->sticky[s->device];
}

cudaError_t dev_on_cudaDeviceSynchronize(dev_call *k,
                                         const struct wire_in_cudaDeviceSynchronize *in,
                                         struct wire_out_cudaDeviceSynchronize *out) {
    (void)in, (void)out;
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    if (dev_wait(k, NULL)) return cudaSuccess;
    dev_spend(k, DEV_COST_SYNC);
    dev_log_call(k, DEV_OP_SYNC, 0, cudaSuccess);
    return k->c->sticky[k->device];
}

cudaError_t dev_on_cudaStreamQuery(dev_call *k, const struct wire_in_cudaStreamQuery *in,
                                   struct wire_out_cudaStreamQuery *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    cudaError_t e = dev_capture_forbids(k, s, false);
    if (e) return e;
    if (!dev_idle(k->c, s->device, s)) return cudaErrorNotReady;
    /* A program that polls: the time it polls is the time it waits. */
    if (dev_wait(k, s)) return cudaErrorNotReady;
    return k->c->sticky[s->device];
}

#define STREAM_ASK(name, field, value)                                                             \
    cudaError_t dev_on_##name(dev_call *k, const struct wire_in_##name *in,                        \
                              struct wire_out_##name *out) {                                       \
        dev_stream *s = dev_stream_get(k, in->hStream);                                            \
        if (!s) return cudaErrorInvalidResourceHandle;                                             \
        out->field = (uint64_t)(int64_t)(value);                                                   \
        return cudaSuccess;                                                                        \
    }
STREAM_ASK(cudaStreamGetPriority, priority, s->priority)
STREAM_ASK(cudaStreamGetFlags, flags, s->flags)
STREAM_ASK(cudaStreamGetId, streamId, s->id)
STREAM_ASK(cudaStreamGetDevice, device, s->device)

cudaError_t dev_on_cudaStreamGetAttribute(dev_call *k,
                                          const struct wire_in_cudaStreamGetAttribute *in,
                                          struct wire_out_cudaStreamGetAttribute *out) {
    dev_stream *s = dev_stream_get(k, in->hStream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (in->attr >= 16) return cudaErrorInvalidValue;
    cudaLaunchAttributeValue v = s->attribute[in->attr];
    if (in->attr == cudaLaunchAttributePriority) v.priority = s->priority;
    return dev_answer(k, &v, sizeof v);
}
cudaError_t dev_on_cudaStreamSetAttribute(dev_call *k,
                                          const struct wire_in_cudaStreamSetAttribute *in,
                                          struct wire_out_cudaStreamSetAttribute *out) {
    dev_stream *s = dev_stream_get(k, in->hStream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (in->attr >= 16 || k->span_bytes[0] != sizeof s->attribute[0]) return cudaErrorInvalidValue;
    memcpy(&s->attribute[in->attr], k->span[0], sizeof s->attribute[0]);
    return cudaSuccess;
}
cudaError_t dev_on_cudaStreamCopyAttributes(dev_call *k,
                                            const struct wire_in_cudaStreamCopyAttributes *in,
                                            struct wire_out_cudaStreamCopyAttributes *out) {
    dev_stream *to = dev_stream_get(k, in->dst), *from = dev_stream_get(k, in->src);
    (void)out;
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    memcpy(to->attribute, from->attribute, sizeof to->attribute);
    return cudaSuccess;
}

cudaError_t
dev_on_cudaDeviceGetStreamPriorityRange(dev_call *k,
                                        const struct wire_in_cudaDeviceGetStreamPriorityRange *in,
                                        struct wire_out_cudaDeviceGetStreamPriorityRange *out) {
    (void)k, (void)in;
    out->leastPriority = 0;
    out->greatestPriority = (uint64_t)-5;
    return cudaSuccess;
}

/* ---- events */

void dev_mark_release(dev_mark *e) {
    if (--e->refs) return;
    free(e->deps);
    free(e);
}

static cudaError_t event_create(dev_call *k, unsigned flags, uint64_t *out) {
    if (flags > 7 || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    dev_mark *e = calloc(1, sizeof *e);
    if (!e || !(e->handle = dev_object_new(k->c, DEV_EVENT, e))) {
        free(e);
        return cudaErrorMemoryAllocation;
    }
    e->device = k->device, e->flags = flags, e->refs = 1;
    *out = e->handle;
    return cudaSuccess;
}
cudaError_t dev_on_cudaEventCreate(dev_call *k, const struct wire_in_cudaEventCreate *in,
                                   struct wire_out_cudaEventCreate *out) {
    (void)in;
    return event_create(k, 0, &out->event);
}
cudaError_t dev_on_cudaEventCreateWithFlags(dev_call *k,
                                            const struct wire_in_cudaEventCreateWithFlags *in,
                                            struct wire_out_cudaEventCreateWithFlags *out) {
    return event_create(k, (unsigned)in->flags, &out->event);
}
cudaError_t dev_on_cudaEventDestroy(dev_call *k, const struct wire_in_cudaEventDestroy *in,
                                    struct wire_out_cudaEventDestroy *out) {
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    if (!e) return cudaErrorInvalidResourceHandle;
    dev_object_drop(k->c, e->handle);
    dev_mark_release(e);
    return cudaSuccess;
}

static cudaError_t record(dev_call *k, uint64_t event, uint64_t stream) {
    dev_mark *e = dev_object(k->c, event, DEV_EVENT);
    dev_stream *s = dev_stream_get(k, stream);
    if (!e || !s || e->device != s->device) return cudaErrorInvalidResourceHandle;
    dev_spend(k, DEV_COST_EVENT);
    if (s->capture) return dev_capture_event(k, s, e);
    dev_work w = {.kind = DEV_WORK_RECORD, .device = s->device, .bytes = sizeof w, .event = {e, 0}};
    e->recorded = true, e->capture = NULL;
    return dev_submit(k, s, &w);
}
cudaError_t dev_on_cudaEventRecord(dev_call *k, const struct wire_in_cudaEventRecord *in,
                                   struct wire_out_cudaEventRecord *out) {
    (void)out;
    return record(k, in->event, in->stream);
}
cudaError_t dev_on_cudaEventRecordWithFlags(dev_call *k,
                                            const struct wire_in_cudaEventRecordWithFlags *in,
                                            struct wire_out_cudaEventRecordWithFlags *out) {
    (void)out;
    return in->flags > 1 ? cudaErrorInvalidValue : record(k, in->event, in->stream);
}

cudaError_t dev_on_cudaStreamWaitEvent(dev_call *k, const struct wire_in_cudaStreamWaitEvent *in,
                                       struct wire_out_cudaStreamWaitEvent *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    if (!s || !e) return cudaErrorInvalidResourceHandle;
    if (in->flags > 1) return cudaErrorInvalidValue;
    if (s->capture || e->capture) return dev_capture_wait(k, s, e);
    if (!e->recorded) return cudaSuccess;
    dev_work w = {
        .kind = DEV_WORK_WAIT, .device = s->device, .bytes = sizeof w, .event = {e, e->seq}};
    return dev_submit(k, s, &w);
}

static bool happened(const dev_mark *e) {
    return !e->recorded || e->done >= e->seq;
}

static cudaError_t event_wait(dev_call *k, dev_mark *e) {
    double *clock = dev_clock(k->c, k->thread);
    if (e->recorded && e->when > *clock) *clock = e->when;
    if (k->c->fault[e->device]) k->c->sticky[e->device] = k->c->fault[e->device];
    return k->c->sticky[e->device];
}
cudaError_t dev_on_cudaEventQuery(dev_call *k, const struct wire_in_cudaEventQuery *in,
                                  struct wire_out_cudaEventQuery *out) {
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->capture) {
        e->capture->spoilt = true;
        return cudaErrorCapturedEvent;
    }
    return happened(e) ? event_wait(k, e) : cudaErrorNotReady;
}
cudaError_t dev_on_cudaEventSynchronize(dev_call *k, const struct wire_in_cudaEventSynchronize *in,
                                        struct wire_out_cudaEventSynchronize *out) {
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->capture) {
        e->capture->spoilt = true;
        return cudaErrorCapturedEvent;
    }
    if (!happened(e)) {
        k->again = true;
        return cudaSuccess;
    }
    cudaError_t error = event_wait(k, e);
    dev_spend(k, DEV_COST_SYNC);
    dev_log_call(k, DEV_OP_SYNC, 0, cudaSuccess);
    return error;
}
cudaError_t dev_on_EventElapsed(dev_call *k, const struct wire_in_EventElapsed *in,
                                struct wire_out_EventElapsed *out) {
    dev_mark *a = dev_object(k->c, in->start, DEV_EVENT), *b = dev_object(k->c, in->end, DEV_EVENT);
    if (!a || !b || a->device != b->device || (a->flags | b->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (a->capture || b->capture) return cudaErrorCapturedEvent;
    if (!a->recorded || !b->recorded) return cudaErrorInvalidResourceHandle;
    if (!happened(a) || !happened(b)) return cudaErrorNotReady;
    float ms = (float)((b->when - a->when) / 1000);
    uint32_t bits;
    memcpy(&bits, &ms, sizeof bits);
    out->bits = bits;
    return cudaSuccess;
}
