/* Calls of events. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

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
    dev_mark_release(k->c, e);
    return cudaSuccess;
}

static cudaError_t event_record(dev_call *k, uint64_t event, uint64_t stream) {
    dev_mark *e = dev_object(k->c, event, DEV_EVENT);
    dev_stream *s = dev_stream_get(k, stream);
    if (!e || !s || e->device != s->device) return cudaErrorInvalidResourceHandle;
    dev_spend(k, DEV_COST_EVENT);
    if (s->capture) return dev_capture_event(k->c, s, e);
    dev_work w = {.kind = DEV_WORK_RECORD, .device = s->device, .bytes = sizeof w, .event = {e, 0}};
    e->recorded = true, e->capture = NULL;
    return dev_submit(k, s, &w);
}

cudaError_t dev_on_cudaEventRecord(dev_call *k, const struct wire_in_cudaEventRecord *in,
                                   struct wire_out_cudaEventRecord *out) {
    (void)out;
    return event_record(k, in->event, in->stream);
}

cudaError_t dev_on_cudaEventRecordWithFlags(dev_call *k,
                                            const struct wire_in_cudaEventRecordWithFlags *in,
                                            struct wire_out_cudaEventRecordWithFlags *out) {
    (void)out;
    return in->flags > 1 ? cudaErrorInvalidValue : event_record(k, in->event, in->stream);
}

cudaError_t dev_on_cudaStreamWaitEvent(dev_call *k, const struct wire_in_cudaStreamWaitEvent *in,
                                       struct wire_out_cudaStreamWaitEvent *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    if (!s || !e) return cudaErrorInvalidResourceHandle;
    if (in->flags > 1) return cudaErrorInvalidValue;
    if (s->capture || e->capture) return dev_capture_wait(k->c, s, e);
    if (!e->recorded) return cudaSuccess;
    dev_work w = {
        .kind = DEV_WORK_WAIT, .device = s->device, .bytes = sizeof w, .event = {e, e->seq}};
    return dev_submit(k, s, &w);
}

static bool event_happened(const dev_mark *e) {
    return !e->recorded || e->done >= e->seq;
}

static cudaError_t event_wait(dev_call *k, dev_mark *e) {
    double *clock = dev_clock(k->c, k->thread);
    if (e->recorded && e->when > *clock) *clock = e->when;
    if (e->recorded) dev_concurrent_host_event(k->c, e);
    if (k->c->context[e->device].fault)
        k->c->context[e->device].sticky = k->c->context[e->device].fault;
    return k->c->context[e->device].sticky;
}

/* Returns whether the host may query it: an event of a capture has not happened anywhere. */
static cudaError_t event_asked(const dev_mark *e) {
    if (!e) return cudaErrorInvalidResourceHandle;
    if (!e->capture) return cudaSuccess;
    e->capture->spoilt = true;
    return cudaErrorCapturedEvent;
}

cudaError_t dev_on_cudaEventQuery(dev_call *k, const struct wire_in_cudaEventQuery *in,
                                  struct wire_out_cudaEventQuery *out) {
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    cudaError_t error = event_asked(e);
    if (error) return error;
    if (!event_happened(e)) return cudaErrorNotReady;
    if (e->recorded && !dev_concurrent_answers(k->c, &e->clocks)) return cudaErrorNotReady;
    return event_wait(k, e);
}

cudaError_t dev_on_cudaEventSynchronize(dev_call *k, const struct wire_in_cudaEventSynchronize *in,
                                        struct wire_out_cudaEventSynchronize *out) {
    dev_mark *e = dev_object(k->c, in->event, DEV_EVENT);
    (void)out;
    cudaError_t error = event_asked(e);
    if (error) return error;
    if (!event_happened(e)) {
        k->again = true;
        return cudaSuccess;
    }
    error = event_wait(k, e);
    dev_spend(k, DEV_COST_SYNC);
    dev_pools_trim(k, e->device);
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
    if (!event_happened(a) || !event_happened(b)) return cudaErrorNotReady;
    dev_flow_timed(k->c);
    float ms = (float)((b->when - a->when) / 1000);
    uint32_t bits;
    memcpy(&bits, &ms, sizeof bits);
    out->bits = bits;
    return cudaSuccess;
}
