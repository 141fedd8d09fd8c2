/* Copies and memsets as calls: which can run at once, which must wait, and how the program's
 * pageable memory is transferred: with the message (small), or piece by piece through the window
 * (CopyData).
 *
 *   Copy --both sides visible to the device--> dev_submit
 *        --one pageable, small---------------> moved with the message
 *        --one pageable, large---------------> "stage": CopyData, CopyData, ...
 *        --both pageable---------------------> waits for the stream; the program itself copies */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

/* A pageable copy is done: places it on the timeline. The call returns when the copy is over (to
 * the device: when the data have been taken. They may still be on their way then, so the host knows
 * nothing about the copy). */
static void copy_finish(dev_client *c, unsigned thread, dev_stream *s, const wire_copy *w,
                        bool to_device) {
    double start, end, *clock = dev_clock(c, thread);
    dev_move move = {.direction = to_device ? DEV_DIR_H2D : DEV_DIR_D2H,
                     .pageable = true,
                     .bytes = dev_copy_total(w)};
    dev_place_copy(c, s->device, &move, dev_stream_after(c, s, *clock), &start, &end);
    s->ready = end;
    *clock = end;
    dev_record *r = dev_log(c, to_device ? DEV_OP_H2D : DEV_OP_D2H, s->device, s, start, end,
                            dev_copy_total(w), SIM_OK);
    if (r) r->pageable = true, r->misdirected = dev_copy_misdirected(c, s->device, w);
    dev_concurrent_begin(c, s);
    dev_concurrent_copy(c, s, to_device ? DEV_OP_H2D : DEV_OP_D2H, &w->to, &w->from,
                        (uint64_t[3]){w->width, w->height, w->depth});
    if (!to_device) dev_concurrent_host(c, s->device, s);
}

/* Returns whether the copy must come later, because all work before it in the stream must be
 * over. */
static cudaError_t copy_order(dev_call *k, dev_stream *s, const wire_copy *w) {
    dev_client *c = k->c;
    bool give = w->from.at == WIRE_AT_PAGEABLE, take = w->to.at == WIRE_AT_PAGEABLE;
    if (w->async && !give && !take) return cudaSuccess;
    if (!w->async || (give && take))
        return dev_wait(k, s) ? cudaSuccess : c->context[s->device].sticky;
    if (!dev_idle(c, s->device, s) || !dev_idle(c, s->device, dev_stream_default(c, s->device)))
        k->again = true;
    return cudaSuccess;
}

/* Both sides are visible to the device. */
static cudaError_t copy_on_device(dev_call *k, dev_stream *s, const wire_copy *w) {
    dev_work work = {.kind = DEV_WORK_COPY, .device = s->device, .bytes = sizeof work, .copy = *w};
    if (w->async) dev_spend(k, DEV_COST_ASYNC);
    cudaError_t e = dev_submit(k, s, &work);
    if (!e && !w->async) dev_wait(k, s);
    return e;
}

/* One side is the program's own memory. *stage: the copy continues in pieces, with CopyData. */
static cudaError_t copy_pageable(dev_call *k, dev_stream *s, const wire_copy *w, uint64_t *stage) {
    dev_client *c = k->c;
    bool to_device = w->from.at == WIRE_AT_PAGEABLE;
    uint64_t total = dev_copy_total(w);
    cudaError_t e = cudaSuccess;
    if (to_device && k->span_bytes[1]) {
        if (k->span_bytes[1] != total) return cudaErrorInvalidValue;
        e = dev_copy_bytes(c, w, true, 0, (void *)(uintptr_t)k->span[1], total);
    } else if (!to_device && total <= WIRE_INLINE_BYTES) {
        uint8_t *bytes = malloc(total);
        e = bytes ? dev_copy_bytes(c, w, false, 0, bytes, total) : cudaErrorMemoryAllocation;
        if (!e) e = dev_answer(k, bytes, total);
        free(bytes);
    } else {
        c->window.copying = true;
        c->window.thread = k->thread;
        c->window.copy = *w;
        c->window.done = 0;
        c->window.stream = s;
        *stage = 1;
        return cudaSuccess;
    }
    if (!e) copy_finish(c, k->thread, s, w, to_device);
    return e;
}

/* Returns whether this side is memory of the device. */
static bool copy_side_on(dev_client *c, unsigned device, const wire_place *p) {
    const dev_mem *m = p->at == WIRE_AT_POINTER ? dev_mem_find(c, p->address) : NULL;
    return p->device < 0 && (m ? !m->on_host && m->device == device : p->at == WIRE_AT_ARRAY);
}

cudaError_t dev_on_Copy(dev_call *k, const struct wire_in_Copy *in, struct wire_out_Copy *out) {
    dev_client *c = k->c;
    wire_copy w;
    dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (k->span_bytes[0] != sizeof w) return cudaErrorInvalidValue;
    memcpy(&w, k->span[0], sizeof w);
    w.async = w.async != 0;
    if (w.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!w.width || !w.height || !w.depth) return cudaSuccess;
    cudaError_t e = dev_copy_check(c, k->device, &w);
    if (e)
        return BECAUSE(k, w_server_copy_not_in_one((unsigned long long)w.width,
                                                   (unsigned long long)w.height,
                                                   (unsigned long long)w.depth)),
               e;
    bool give = w.from.at == WIRE_AT_PAGEABLE, take = w.to.at == WIRE_AT_PAGEABLE;
    if (s->capture && w.async) {
        dev_work work = {
            .kind = DEV_WORK_COPY, .device = s->device, .bytes = sizeof work, .copy = w};
        return dev_capture_work(k, s, &work);
    }
    if ((!w.async || give || take) && (e = dev_capture_forbids(k, s, false))) return e;
    if (s->legacy && c->streams.captures && dev_capture_blocking(c, s->device))
        return cudaErrorStreamCaptureImplicit;
    /* For a copy on the device the host does not wait, even if it is called without Async. */
    if (copy_side_on(c, s->device, &w.from) && copy_side_on(c, s->device, &w.to)) w.async = true;
    e = copy_order(k, s, &w);
    if (e || k->again) return e;
    if (c->context[s->device].fault) return c->context[s->device].sticky;
    if (give && take) {
        out->stage = 1;
        dev_log_call(k, DEV_OP_HOST, dev_copy_total(&w), cudaSuccess);
        return cudaSuccess;
    }
    return give || take ? copy_pageable(k, s, &w, &out->stage) : copy_on_device(k, s, &w);
}

cudaError_t dev_on_CopyData(dev_call *k, const struct wire_in_CopyData *in,
                            struct wire_out_CopyData *out) {
    dev_client *c = k->c;
    (void)out;
    uint64_t total = dev_copy_total(&c->window.copy);
    if (!c->window.copying || !c->window.at || in->offset != c->window.done || !in->bytes ||
        in->bytes > WIRE_WINDOW_BYTES || in->bytes > total - c->window.done)
        return cudaErrorInvalidValue;
    bool to_device = c->window.copy.from.at == WIRE_AT_PAGEABLE;
    cudaError_t e =
        dev_copy_bytes(c, &c->window.copy, to_device, in->offset, c->window.at, in->bytes);
    if (e) {
        c->window.copying = false;
        return e;
    }
    c->window.done += in->bytes;
    if (c->window.done == total) {
        c->window.copying = false;
        copy_finish(c, k->thread, c->window.stream, &c->window.copy, to_device);
    }
    return cudaSuccess;
}

cudaError_t dev_on_Fill(dev_call *k, const struct wire_in_Fill *in, struct wire_out_Fill *out) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, in->stream);
    dev_work w = {.kind = DEV_WORK_FILL, .bytes = sizeof w};
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (k->span_bytes[0] != sizeof w.fill) return cudaErrorInvalidValue;
    memcpy(&w.fill, k->span[0], sizeof w.fill);
    w.device = s->device;
    cudaError_t e = dev_fill_check(c, k->device, &w.fill);
    if (e) return e;
    if (!w.fill.async && (e = dev_capture_forbids(k, s, false))) return e;
    dev_spend(k, DEV_COST_ASYNC);
    /* memsets of device memory do not wait, not even the blocking ones */
    return dev_submit(k, s, &w);
}
