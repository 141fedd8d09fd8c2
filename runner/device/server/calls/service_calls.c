/* The client asks for its next service (Service), does it, and reports it with its next request. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>

/* The program has done service number `id`. */
static void service_done(dev_call *k, uint64_t id) {
    dev_client *c = k->c;
    dev_service **p = &c->services.first;
    while (*p && !((*p)->id == id && (*p)->given)) p = &(*p)->next;
    if (!*p) return;
    dev_service *v = *p;
    *p = v->next;
    dev_stream *s = v->on;
    double now = *dev_clock(c, k->thread);
    if (now > s->ready) s->ready = now;
    s->busy = false;
    /* it may have informed the program's threads */
    if (v->what == WIRE_SERVE_FUNCTION || v->what == WIRE_SERVE_CALLBACK)
        dev_concurrent_host(c, s->device, s);
    if (s->head && s->head->work->kind == DEV_WORK_GRAPH)
        dev_exec_served(c, s, s->head, v->what, k->span[0], k->span_bytes[0]);
    else if (s->head) dev_stream_pop(c, s);
    free(v);
    dev_progress(c);
}

cudaError_t dev_on_Service(dev_call *k, const struct wire_in_Service *in,
                           struct wire_out_Service *out) {
    dev_client *c = k->c;
    if (in->done) service_done(k, in->done);
    dev_service *v = c->services.first;
    while (v && v->given) v = v->next;
    if (!v) return cudaSuccess; /* WIRE_SERVE_NOTHING */
    double *clock = dev_clock(c, k->thread);
    if (v->on->ready > *clock) *clock = v->on->ready;
    v->given = true;
    out->id = v->id, out->what = (uint64_t)v->what, out->fn = v->fn, out->data = v->data,
    out->stream = v->stream;
    out->status = (uint64_t)c->context[v->on->device].fault;
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
