/* Graphs and their instances, which the server keeps, and captures. graph_node.c has nodes. */
#include "runner/device/cudart/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists. The runtime's convention: a NULL array asks for the count; otherwise *n says how many
 * fit, and further entries are NULL. */

static cudaError_t graph_list(int what, uint64_t handle, void **first, void **second, size_t *n) {
    wl_call c;
    if (!n) return wl_result(cudaErrorInvalidValue);
    struct wire_in_GraphList *in = WL_BEGIN(&c, GraphList, 0);
    in->what = WL_U64(what), in->handle = handle;
    cudaError_t e = wl_send(&c);
    if (!e && c.spans) {
        size_t have = c.span_bytes[0] / 8, room = *n;
        void **to[2] = {first, second};
        for (unsigned i = 0; i < 2 && i < c.spans; i++)
            for (size_t k = 0; to[i] && k < room; k++) {
                uint64_t h = 0;
                if (k < have) memcpy(&h, c.span[i] + 8 * k, 8);
                to[i][k] = WL_HANDLE(void *, h);
            }
        *n = first && room < have ? room : have;
    }
    wl_end(&c);
    return wl_result(e);
}
/* graph_list() for the calls that also return each edge's data: all zero, because there are only
 * plain edges. */
static cudaError_t graph_list_edges(int what, uint64_t of, void **first, void **second,
                                    cudaGraphEdgeData *data, size_t *n) {
    if (!n) return wl_result(cudaErrorInvalidValue);
    size_t room = *n;
    cudaError_t e = graph_list(what, of, first, second, n);
    if (!e && data) memset(data, 0, (*n < room ? *n : room) * sizeof *data);
    return e;
}
WL_DEFINE(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n),
          return graph_list(WIRE_GRAPH_NODES, WL_U64(graph), (void **)nodes, NULL, n);)
WL_DEFINE(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n),
          return graph_list(WIRE_GRAPH_ROOTS, WL_U64(graph), (void **)nodes, NULL, n);)
WL_DEFINE(cudaGraphGetEdges,
          (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
           size_t *n),
          return graph_list_edges(WIRE_GRAPH_EDGES, WL_U64(graph), (void **)from, (void **)to, data,
                                  n);)
WL_DEFINE(cudaGraphNodeGetDependencies,
          (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *data, size_t *n),
          return graph_list_edges(WIRE_NODE_DEPENDENCIES, WL_U64(node), (void **)deps, NULL, data,
                                  n);)
WL_DEFINE(cudaGraphNodeGetDependentNodes,
          (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *data, size_t *n),
          return graph_list_edges(WIRE_NODE_DEPENDENTS, WL_U64(node), (void **)deps, NULL, data,
                                  n);)

static cudaError_t graph_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to, size_t n, bool add_them) {
    wl_call c;
    if ((n && (!from || !to)) || n > WIRE_MAX_BYTES / 32) return wl_result(cudaErrorInvalidValue);
    struct wire_in_GraphEdges *in = WL_BEGIN(&c, GraphEdges, 0);
    in->graph = WL_U64(graph), in->add = add_them;
    wl_span(&c, from, n * sizeof(cudaGraphNode_t));
    wl_span(&c, to, n * sizeof(cudaGraphNode_t));
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
WL_DEFINE(cudaGraphAddDependencies,
          (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
           const cudaGraphEdgeData *data, size_t n),
          (void)data;
          return graph_edges(graph, from, to, n, true);)
WL_DEFINE(cudaGraphRemoveDependencies,
          (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
           const cudaGraphEdgeData *data, size_t n),
          (void)data;
          return graph_edges(graph, from, to, n, false);)

/* ---- graphs */

WL_DEFINE(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), wl_call c;
          if (!graph || flags) return wl_result(cudaErrorInvalidValue);
          WL_BEGIN(&c, GraphCreate, 0); cudaError_t e = wl_send(&c);
          if (!e) *graph = WL_HANDLE(cudaGraph_t, WL_OUT(&c, GraphCreate)->graph); wl_end(&c);
          return wl_result(e);)
WL_DEFINE(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph), wl_call c;
          if (!clone) return wl_result(cudaErrorInvalidValue);
          struct wire_in_GraphClone *in = WL_BEGIN(&c, GraphClone, 0); in->graph = WL_U64(graph);
          cudaError_t e = wl_send(&c);
          if (!e) *clone = WL_HANDLE(cudaGraph_t, WL_OUT(&c, GraphClone)->clone); wl_end(&c);
          return wl_result(e);)

/* *result: a cudaGraphInstantiateResult. */
static cudaError_t graph_instantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                     unsigned long long flags, int *result) {
    wl_call c;
    *result = cudaGraphInstantiateError;
    if (!exec) return wl_result(cudaErrorInvalidValue);
    struct wire_in_GraphInstantiate *in = WL_BEGIN(&c, GraphInstantiate, 0);
    in->graph = WL_U64(graph), in->flags = flags;
    cudaError_t e = wl_send(&c);
    if (!e) *exec = WL_HANDLE(cudaGraphExec_t, WL_OUT(&c, GraphInstantiate)->exec);
    if (c.out && (!e || e == cudaErrorInvalidValue))
        *result = (int)WL_OUT(&c, GraphInstantiate)->result;
    wl_end(&c);
    return wl_result(e);
}
WL_DEFINE(cudaGraphInstantiate,
          (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), int result;
          return graph_instantiate(exec, graph, flags, &result);)
WL_DEFINE(cudaGraphInstantiateWithFlags,
          (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), int result;
          return graph_instantiate(exec, graph, flags, &result);)
static cudaError_t graph_instantiate_params(cudaGraphExec_t *exec, cudaGraph_t graph,
                                            cudaGraphInstantiateParams *p) {
    if (!p) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = graph_instantiate(exec, graph, p->flags, &p->result_out);
    p->errNode_out = NULL;
    return e;
}
WL_DEFINE(cudaGraphInstantiateWithParams,
          (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *p),
          return graph_instantiate_params(exec, graph, p);)
WL_DEFINE(cudaGraphInstantiateWithParams_ptsz,
          (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *p),
          return graph_instantiate_params(exec, graph, p);)

WL_DEFINE(
    cudaGraphExecUpdate,
    (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info), wl_call c;
    struct wire_in_GraphExecUpdate *in = WL_BEGIN(&c, GraphExecUpdate, 0);
    in->exec = WL_U64(exec), in->graph = WL_U64(graph); cudaError_t e = wl_send(&c); if (!e) {
        const struct wire_out_GraphExecUpdate *o = WL_OUT(&c, GraphExecUpdate);
        if (info)
            *info =
                (cudaGraphExecUpdateResultInfo){(int)o->result, WL_HANDLE(cudaGraphNode_t, o->node),
                                                WL_HANDLE(cudaGraphNode_t, o->from)};
        if (o->result) e = cudaErrorGraphExecUpdateFailure;
    } wl_end(&c);
    return wl_result(e);)

/* The server writes the graph's text; the file belongs to the program. */
WL_DEFINE(
    cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned flags), (void)flags;
    size_t n = 0; if (!path) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = graph_list(WIRE_GRAPH_EDGES, WL_U64(graph), NULL, NULL, &n); if (e) return e;
    void **from = calloc(n + 1, sizeof *from), **to = calloc(n + 1, sizeof *to);
    FILE *f = fopen(path, "w");
    if (from && to && f && !(e = graph_list(WIRE_GRAPH_EDGES, WL_U64(graph), from, to, &n))) {
        fprintf(f, "digraph dot {\n");
        for (size_t i = 0; i < n; i++) fprintf(f, "\"%p\" -> \"%p\";\n", from[i], to[i]);
        fprintf(f, "}\n");
    } else if (!e) e = cudaErrorOperatingSystem;
    if (f) fclose(f); free(from); free(to); return wl_result(e);)

WL_DEFINE(cudaDeviceGetGraphMemAttribute, (int device, int attr, void *value), wl_call c;
          if (!value) return wl_result(cudaErrorInvalidValue);
          struct wire_in_GraphMemory *in = WL_BEGIN(&c, GraphMemory, 0);
          in->device = WL_U64(device), in->attr = WL_U64(attr); cudaError_t e = wl_send(&c);
          if (!e) * (uint64_t *)value = WL_OUT(&c, GraphMemory)->value; wl_end(&c);
          return wl_result(e);)

/* ---- stream capture: calls that calls.def cannot express */

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
