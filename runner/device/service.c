/* What only the program's process can do for the device: run a host function in stream order, and
 * read or write its own ordinary memory for a graph's copy. The client asks for the next one
 * (Service), does it, and says so with its next question. */
#include "runner/device/server.h"

#include <stdlib.h>
#include <string.h>

cudaError_t dev_service_add(dev_client *c, dev_stream *s, int what, uint64_t fn, uint64_t data) {
    dev_service *v = calloc(1, sizeof *v), **end = &c->services;
    if (!v) return cudaErrorMemoryAllocation;
    v->id = ++c->next_service;
    v->what = what, v->fn = fn, v->data = data, v->on = s, v->stream = s->handle;
    while (*end) end = &(*end)->next;
    *end = v;
    return cudaSuccess;
}

cudaError_t dev_on_Service(dev_call *k, const struct wire_in_Service *in,
                           struct wire_out_Service *out) {
    dev_client *c = k->c;
    if (in->done)
        for (dev_service **p = &c->services; *p; p = &(*p)->next) {
            dev_service *v = *p;
            if (v->id != in->done || !v->given) continue;
            *p = v->next;
            dev_stream *s = v->on;
            double now = *dev_clock(c, k->thread);
            if (now > s->ready) s->ready = now;
            s->busy = false;
            dev_item *i = s->head;
            if (i && i->work->kind == DEV_WORK_GRAPH) {
                dev_exec_served(c, s, i, v->what, k->span[0], k->span_bytes[0]);
            } else if (i) {
                s->head = i->next;
                if (!s->head) s->tail = NULL;
                c->queue_bytes -= i->work->bytes;
                dev_work_free(c, i->work);
                free(i->ends);
                free(i);
            }
            free(v);
            dev_progress(c);
            break;
        }
    dev_service *v = c->services;
    while (v && v->given) v = v->next;
    if (!v) return cudaSuccess; /* WIRE_SERVE_NOTHING */
    double *clock = dev_clock(c, k->thread);
    if (v->on->ready > *clock) *clock = v->on->ready;
    v->given = true;
    out->id = v->id, out->what = (uint64_t)v->what, out->fn = v->fn, out->data = v->data,
    out->stream = v->stream;
    out->status = (uint64_t)c->fault[v->on->device];
    if (v->what == WIRE_SERVE_FUNCTION || v->what == WIRE_SERVE_CALLBACK) {
        dev_log_call(k, DEV_OP_HOST, 0, cudaSuccess);
    } else if (v->what == WIRE_SERVE_WRITE) {
        uint8_t *bytes = malloc(v->fn ? v->fn : 1);
        if (!bytes) return cudaErrorMemoryAllocation;
        cudaError_t e = dev_exec_bytes(c, v->on, bytes, v->fn);
        if (!e) e = dev_answer(k, bytes, v->fn);
        free(bytes);
        if (e) return e;
    }
    return cudaSuccess;
}

cudaError_t dev_on_HostFunction(dev_call *k, const struct wire_in_HostFunction *in,
                                struct wire_out_HostFunction *out) {
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->capture && in->callback) return dev_capture_forbids(k, s, true);
    dev_work w = {.kind = DEV_WORK_HOST,
                  .device = s->device,
                  .bytes = sizeof w,
                  .host = {in->fn, in->data, in->stream, in->callback != 0}};
    dev_spend(k, DEV_COST_ASYNC);
    return dev_submit(k, s, &w);
}
