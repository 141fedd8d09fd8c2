/* Stream capture beyond calls.def's simple calls. */
#include "runner/device/cudart/client.h"

#include <string.h>

static cudaError_t capture_to_graph(cudaStream_t stream, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t n, int mode,
                                    unsigned flags) {
    wl_call c;
    if ((n && !deps) || n > WIRE_MAX_BYTES / 16) return wl_result(cudaErrorInvalidValue);
    struct wire_in_CaptureToGraph *in = WL_BEGIN(&c, CaptureToGraph, flags);
    in->stream = WL_U64(stream), in->graph = WL_U64(graph), in->mode = WL_U64(mode);
    wl_span(&c, deps, n * sizeof(cudaGraphNode_t));
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
/* The list of dependencies stays valid until the thread asks again. */
static cudaError_t capture_info(cudaStream_t stream, int *status, unsigned long long *id,
                                cudaGraph_t *graph, const cudaGraphNode_t **deps,
                                const cudaGraphEdgeData **edge, size_t *n, unsigned flags) {
    static __thread cudaGraphNode_t kept[1024];
    static const cudaGraphEdgeData none[1024];
    wl_call c;
    if (!status) return wl_result(cudaErrorInvalidValue);
    struct wire_in_CaptureInfo *in = WL_BEGIN(&c, CaptureInfo, flags);
    in->stream = WL_U64(stream);
    cudaError_t e = wl_send(&c);
    if (!e) {
        const struct wire_out_CaptureInfo *o = WL_OUT(&c, CaptureInfo);
        size_t have = c.spans ? c.span_bytes[0] / 8 : 0;
        if (have > sizeof kept / sizeof kept[0]) have = sizeof kept / sizeof kept[0];
        *status = (int)o->status;
        if (id) *id = o->id;
        if (graph) *graph = WL_HANDLE(cudaGraph_t, o->graph);
        if (have) memcpy(kept, c.span[0], have * 8);
        if (deps) *deps = kept;
        if (edge) *edge = none;
        if (n) *n = have;
    }
    wl_end(&c);
    return wl_result(e);
}
static cudaError_t capture_dependencies(cudaStream_t stream, const cudaGraphNode_t *deps, size_t n,
                                        unsigned replace, unsigned flags) {
    wl_call c;
    if ((n && !deps) || replace > 1 || n > WIRE_MAX_BYTES / 16)
        return wl_result(cudaErrorInvalidValue);
    struct wire_in_CaptureDependencies *in = WL_BEGIN(&c, CaptureDependencies, flags);
    in->stream = WL_U64(stream), in->replace = replace;
    wl_span(&c, deps, n * sizeof(cudaGraphNode_t));
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
#define CAPTURE(suffix, flags)                                                                     \
    WL_DEFINE(cudaStreamBeginCaptureToGraph##suffix,                                               \
              (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,                \
               const cudaGraphEdgeData *data, size_t n, int mode),                                 \
              (void)data;                                                                          \
              return capture_to_graph(stream, graph, deps, n, mode, flags);)                       \
    WL_DEFINE(cudaStreamGetCaptureInfo##suffix,                                                    \
              (cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,       \
               const cudaGraphNode_t **deps, const cudaGraphEdgeData **edge, size_t *n),           \
              return capture_info(stream, status, id, graph, deps, edge, n, flags);)               \
    WL_DEFINE(cudaStreamUpdateCaptureDependencies##suffix,                                         \
              (cudaStream_t stream, cudaGraphNode_t * deps, const cudaGraphEdgeData *data,         \
               size_t n, unsigned how),                                                            \
              (void)data;                                                                          \
              return capture_dependencies(stream, deps, n, how, flags);)
CAPTURE(, 0)
CAPTURE(_ptsz, WIRE_F_PER_THREAD)
