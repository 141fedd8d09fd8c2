/* Calls of streams. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t stream_create(dev_call *k, unsigned flags, int priority, uint64_t *out) {
    if (flags > 1) return cudaErrorInvalidValue;
    if (priority > 0) priority = 0;
    if (priority < -5) priority = -5;
    bool room = k->c->streams.count < DEV_STREAMS;
    dev_stream *s = room ? dev_stream_new(k->c, k->device, flags, priority) : NULL;
    if (!s) return cudaErrorMemoryAllocation;
    s->handle = dev_object_new(k->c, DEV_STREAM, s);
    if (!s->handle) {
        k->c->streams.first = s->next;
        k->c->streams.count--;
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
    return stream_create(k, 0, 0, &out->pStream);
}

cudaError_t dev_on_cudaStreamCreateWithFlags(dev_call *k,
                                             const struct wire_in_cudaStreamCreateWithFlags *in,
                                             struct wire_out_cudaStreamCreateWithFlags *out) {
    return stream_create(k, (unsigned)in->flags, 0, &out->pStream);
}

cudaError_t
dev_on_cudaStreamCreateWithPriority(dev_call *k,
                                    const struct wire_in_cudaStreamCreateWithPriority *in,
                                    struct wire_out_cudaStreamCreateWithPriority *out) {
    return stream_create(k, (unsigned)in->flags, (int)in->priority, &out->pStream);
}

cudaError_t dev_on_cudaStreamDestroy(dev_call *k, const struct wire_in_cudaStreamDestroy *in,
                                     struct wire_out_cudaStreamDestroy *out) {
    dev_stream *s = dev_object(k->c, in->stream, DEV_STREAM);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->capture && !dev_capture_left(k->c, s)) return cudaErrorStreamCaptureUnsupported;
    /* The runtime returns at once and the work continues; here the stream must stay until then. */
    if (!dev_idle(k->c, s->device, s)) {
        k->again = true;
        return cudaSuccess;
    }
    dev_object_drop(k->c, s->handle);
    if (k->c->times.engine[s->device].tail < s->ready)
        k->c->times.engine[s->device].tail = s->ready;
    /* Later work of the legacy stream waits for this. */
    dev_stream *legacy = dev_stream_default(k->c, s->device);
    if (legacy && !(s->flags & cudaStreamNonBlocking) && legacy->ready < s->ready)
        legacy->ready = s->ready;
    dev_stream_free(k->c, s);
    return cudaSuccess;
}

/* Waits for the stream, or for all work of the device, and charges the call. */
static cudaError_t stream_settle(dev_call *k, dev_stream *s, unsigned device) {
    if (dev_wait(k, s)) return cudaSuccess;
    dev_spend(k, DEV_COST_SYNC);
    dev_pools_trim(k, device);
    dev_log_call(k, DEV_OP_SYNC, 0, cudaSuccess);
    return k->c->context[device].sticky;
}

cudaError_t dev_on_cudaStreamSynchronize(dev_call *k,
                                         const struct wire_in_cudaStreamSynchronize *in,
                                         struct wire_out_cudaStreamSynchronize *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    cudaError_t e = dev_capture_forbids(k, s, false);
    if (e) return e;
    return stream_settle(k, s, s->device);
}

cudaError_t dev_on_cudaDeviceSynchronize(dev_call *k,
                                         const struct wire_in_cudaDeviceSynchronize *in,
                                         struct wire_out_cudaDeviceSynchronize *out) {
    (void)in, (void)out;
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    return stream_settle(k, NULL, k->device);
}

cudaError_t dev_on_cudaStreamQuery(dev_call *k, const struct wire_in_cudaStreamQuery *in,
                                   struct wire_out_cudaStreamQuery *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    cudaError_t e = dev_capture_forbids(k, s, false);
    if (e) return e;
    if (!dev_idle(k->c, s->device, s) || !dev_concurrent_answers(k->c, &s->clocks))
        return cudaErrorNotReady;
    /* A program that polls: the time it polls is the time it waits. */
    if (dev_wait(k, s)) return cudaErrorNotReady;
    return k->c->context[s->device].sticky;
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
