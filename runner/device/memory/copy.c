/* Copies and memsets as calls: what may go at once, what has to wait, and the program's pageable
 * memory, which comes and goes with the message (small) or piece by piece through the window
 * (CopyData).
 *
 *   Copy --both sides seen by the device--> dev_submit
 *        --one pageable, small-----------> moved with the message
 *        --one pageable, large-----------> "stage": CopyData, CopyData, ...
 *        --both pageable-----------------> the stream is waited for; the program copies itself */
#include "runner/device/answer.h"
#include "runner/device/graph/graph.h"
#include "runner/device/memory/memory.h"
#include "runner/device/stream/stream.h"

#include <stdlib.h>
#include <string.h>

/* A pageable copy is done: where it lies on the timeline. The call returns when it is over (to the
 * device: when the data has been taken). */
static void copy_finish(dev_client *c, unsigned thread, dev_stream *s, const wire_copy *w,
                        bool to_device) {
    double start, end, *clock = dev_clock(c, thread);
    dev_place_copy(c, s->device, to_device ? DEV_DIR_H2D : DEV_DIR_D2H, true, false,
                   dev_copy_total(w), 0, dev_stream_after(c, s, *clock), &start, &end);
    s->ready = end;
    *clock = end;
    dev_log(c, to_device ? DEV_OP_H2D : DEV_OP_D2H, s->device, s, start, end, dev_copy_total(w),
            SIM_OK);
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
    if (e) return e;
    bool give = w.from.at == WIRE_AT_PAGEABLE, take = w.to.at == WIRE_AT_PAGEABLE;
    if (s->capture && w.async) {
        dev_work work = {
            .kind = DEV_WORK_COPY, .device = s->device, .bytes = sizeof work, .copy = w};
        return dev_capture_work(k, s, &work);
    }
    if ((!w.async || give || take) && (e = dev_capture_forbids(k, s, false))) return e;
    if (s->legacy && c->captures && dev_capture_blocking(c, s->device))
        return cudaErrorStreamCaptureImplicit;
    if (!w.async || give || take) {
        /* Everything before it has to be over. */
        if (!w.async || (give && take)) {
            if (dev_wait(k, s)) return cudaSuccess;
            if (c->sticky[s->device]) return c->sticky[s->device];
        } else if (!dev_idle(c, s->device, s) ||
                   !dev_idle(c, s->device, dev_stream_default(c, s->device))) {
            k->again = true;
            return cudaSuccess;
        }
    }
    if (c->fault[s->device]) return c->sticky[s->device];
    uint64_t total = dev_copy_total(&w);
    if (give && take) {
        out->stage = 1;
        dev_log_call(k, DEV_OP_HOST, total, cudaSuccess);
        return cudaSuccess;
    }
    if (!give && !take) {
        dev_work work = {
            .kind = DEV_WORK_COPY, .device = s->device, .bytes = sizeof work, .copy = w};
        if (w.async) dev_spend(k, DEV_COST_ASYNC);
        e = dev_submit(k, s, &work);
        if (!e && !w.async) dev_wait(k, s);
        return e;
    }
    if (give && k->span_bytes[1]) {
        if (k->span_bytes[1] != total) return cudaErrorInvalidValue;
        e = dev_copy_bytes(c, &w, true, 0, (void *)(uintptr_t)k->span[1], total);
        if (!e) copy_finish(c, k->thread, s, &w, true);
        return e;
    }
    if (take && total <= WIRE_INLINE_BYTES) {
        uint8_t *bytes = malloc(total);
        e = bytes ? dev_copy_bytes(c, &w, false, 0, bytes, total) : cudaErrorMemoryAllocation;
        if (!e) e = dev_answer(k, bytes, total);
        free(bytes);
        if (!e) copy_finish(c, k->thread, s, &w, false);
        return e;
    }
    c->copying = true;
    c->copy_thread = k->thread;
    c->copy = w;
    c->copy_at = 0;
    c->copy_stream = s;
    out->stage = 1;
    return cudaSuccess;
}

cudaError_t dev_on_CopyData(dev_call *k, const struct wire_in_CopyData *in,
                            struct wire_out_CopyData *out) {
    dev_client *c = k->c;
    (void)out;
    uint64_t total = dev_copy_total(&c->copy);
    if (!c->copying || !c->window || in->offset != c->copy_at || !in->bytes ||
        in->bytes > WIRE_WINDOW_BYTES || in->bytes > total - c->copy_at)
        return cudaErrorInvalidValue;
    bool to_device = c->copy.from.at == WIRE_AT_PAGEABLE;
    cudaError_t e = dev_copy_bytes(c, &c->copy, to_device, in->offset, c->window, in->bytes);
    if (e) {
        c->copying = false;
        return e;
    }
    c->copy_at += in->bytes;
    if (c->copy_at == total) {
        c->copying = false;
        copy_finish(c, k->thread, c->copy_stream, &c->copy, to_device);
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
    return dev_submit(k, s, &w); /* memsets of device memory do not wait, even the blocking ones */
}
