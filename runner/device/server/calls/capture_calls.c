/* Calls that begin and end captures, and queries about captures. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/capture.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>

static cudaError_t capture_begin(dev_call *k, uint64_t stream, int mode, dev_graph *g) {
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
    cap->mode = mode, cap->thread = k->thread, cap->id = ++c->streams.next_capture, cap->origin = s;
    s->capture = cap;
    s->tail_count = 0;
    c->streams.captures++;
    return cudaSuccess;
}

cudaError_t dev_on_cudaStreamBeginCapture(dev_call *k,
                                          const struct wire_in_cudaStreamBeginCapture *in,
                                          struct wire_out_cudaStreamBeginCapture *out) {
    (void)out;
    return capture_begin(k, in->stream, (int)in->mode, NULL);
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
    cudaError_t e = capture_begin(k, in->stream, (int)in->mode, g);
    if (!e &&
        !dev_capture_set_tail(k->c, dev_stream_get(k, in->stream), (const uint64_t *)k->span[0], n))
        e = cudaErrorMemoryAllocation;
    return e;
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
    cudaError_t e = cap->spoilt                        ? cudaErrorStreamCaptureInvalidated
                    : dev_capture_joined(c, cap, NULL) ? cudaSuccess
                                                       : cudaErrorStreamCaptureUnjoined;
    dev_graph *g = cap->graph;
    bool own = cap->own;
    dev_capture_close(c, cap);
    if (e && own) dev_graph_free(c, g);
    if (!e) out->pGraph = g->handle;
    return e;
}

cudaError_t dev_on_cudaStreamIsCapturing(dev_call *k,
                                         const struct wire_in_cudaStreamIsCapturing *in,
                                         struct wire_out_cudaStreamIsCapturing *out) {
    const dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->legacy && dev_capture_blocks(k->c, s->device)) return cudaErrorStreamCaptureImplicit;
    out->pCaptureStatus = !s->capture          ? cudaStreamCaptureStatusNone
                          : s->capture->spoilt ? cudaStreamCaptureStatusInvalidated
                                               : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t dev_on_CaptureInfo(dev_call *k, const struct wire_in_CaptureInfo *in,
                               struct wire_out_CaptureInfo *out) {
    const dev_stream *s = dev_stream_get(k, in->stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (s->legacy && dev_capture_blocks(k->c, s->device)) return cudaErrorStreamCaptureImplicit;
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
    bool ok = in->replace ? dev_capture_set_tail(k->c, s, (const uint64_t *)k->span[0], n)
                          : dev_capture_join(k->c, s, (const uint64_t *)k->span[0], n);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}
