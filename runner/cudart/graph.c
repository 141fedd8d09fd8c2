/* Graphs: a node's parameters are flattened here (kernels' arguments are copied, as the runtime
 * does) and kept by the server. */
#include "runner/cudart/client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters to bytes: wire_launch + parameter block, wire_copy, wire_fill, wire_host, wire_alloc,
 * wire_conditional, a handle */

typedef struct {
    size_t bytes;
    union {
        uint8_t raw[sizeof(wire_launch) + WIRE_PARAM_BYTES + 4];
        wire_launch launch;
        wire_copy copy;
        wire_fill fill;
        wire_host host;
        wire_alloc alloc;
        wire_conditional conditional;
        uint64_t handle;
    };
} packed;

static cudaError_t pack_kernel(packed *p, const struct cudaKernelNodeParams *k, bool cooperative) {
    uint8_t params[WIRE_PARAM_BYTES + 4];
    if (!k) return cudaErrorInvalidValue;
    cudaError_t e = wl_launch_pack(k->func, k->gridDim, k->blockDim, k->kernelParams, k->extra,
                                   k->sharedMemBytes, cooperative, NULL, &p->launch, params);
    if (e) return e;
    memcpy(p->raw + sizeof p->launch, params, p->launch.param_bytes);
    p->bytes = sizeof p->launch + p->launch.param_bytes;
    return cudaSuccess;
}
static cudaError_t pack_copy(packed *p, const wire_copy *w) {
    p->copy = *w;
    p->copy.async = 1;
    p->bytes = sizeof p->copy;
    return wl_copy_check(&p->copy);
}
static cudaError_t pack_copy_3d(packed *p, const struct cudaMemcpy3DParms *c) {
    wire_copy w;
    cudaError_t e = wl_copy_3d(c, &w);
    return e ? e : pack_copy(p, &w);
}
static cudaError_t pack_copy_1d(packed *p, void *dst, const void *src, size_t n, int kind) {
    wire_copy w;
    cudaError_t e = n ? wl_copy_linear(dst, src, n, kind, &w) : cudaErrorInvalidValue;
    return e ? e : pack_copy(p, &w);
}
static cudaError_t pack_copy_symbol(packed *p, const void *symbol, void *mem, size_t n,
                                    size_t offset, bool to_symbol, int kind) {
    uint64_t at, bytes;
    cudaError_t e = wl_symbol(symbol, &at, &bytes);
    if (e) return e;
    if (offset > bytes || n > bytes - offset) return cudaErrorInvalidValue;
    void *s = WL_HANDLE(void *, at + offset);
    return to_symbol ? pack_copy_1d(p, s, mem, n, kind) : pack_copy_1d(p, mem, s, n, kind);
}
static cudaError_t pack_fill(packed *p, const struct cudaMemsetParams *m) {
    if (!m) return cudaErrorInvalidValue;
    p->bytes = sizeof p->fill;
    return wl_fill_describe(m->dst, m->pitch, m->value, m->elementSize, m->width, m->height,
                            &p->fill);
}
static cudaError_t pack_host(packed *p, const struct cudaHostNodeParams *h) {
    if (!h || !h->fn) return cudaErrorInvalidValue;
    p->host = (wire_host){WL_U64(h->fn), WL_U64(h->userData)};
    p->bytes = sizeof p->host;
    return cudaSuccess;
}
static cudaError_t pack_handle(packed *p, const void *h) {
    p->handle = WL_U64(h);
    p->bytes = sizeof p->handle;
    return cudaSuccess;
}
static cudaError_t pack_alloc(packed *p, size_t bytes, const void *address) {
    p->alloc = (wire_alloc){bytes, WL_U64(address)};
    p->bytes = sizeof p->alloc;
    return cudaSuccess;
}

static cudaError_t pack_conditional(packed *p, const struct cudaConditionalNodeParams *c) {
    p->conditional = (wire_conditional){c->handle, (uint32_t)c->type, c->size};
    p->bytes = sizeof p->conditional;
    return cudaSuccess;
}

/* ---- nodes */

/* bodies: of a conditional node, as many as it has. */
static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                            size_t n, int type, cudaError_t packing, const packed *p,
                            uint64_t *address, cudaGraph_t *bodies) {
    wl_call c;
    if (packing) return wl_result(packing);
    if (!node || (n && !deps) || n > WIRE_MAX_BYTES / 16) return wl_result(cudaErrorInvalidValue);
    struct wire_in_GraphAdd *in = WL_BEGIN(&c, GraphAdd, 0);
    in->graph = WL_U64(graph), in->type = WL_U64(type);
    wl_span(&c, deps, n * sizeof(cudaGraphNode_t));
    wl_span(&c, p ? p->raw : NULL, p ? p->bytes : 0);
    cudaError_t e = wl_send(&c);
    if (!e) *node = WL_HANDLE(cudaGraphNode_t, WL_OUT(&c, GraphAdd)->node);
    if (!e && address) *address = WL_OUT(&c, GraphAdd)->address;
    if (!e && bodies && c.spans && c.span_bytes[0] == p->conditional.size * sizeof(cudaGraph_t))
        memcpy(bodies, c.span[0], c.span_bytes[0]);
    wl_end(&c);
    return wl_result(e);
}
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                       size_t n, int type, cudaError_t packing, const packed *p,
                       uint64_t *address) {
    return add_node(node, graph, deps, n, type, packing, p, address, NULL);
}

static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, int type, cudaError_t packing,
                       const packed *p) {
    wl_call c;
    if (packing) return wl_result(packing);
    struct wire_in_GraphNodeSet *in = WL_BEGIN(&c, GraphNodeSet, 0);
    in->exec = WL_U64(exec), in->node = WL_U64(node), in->type = WL_U64(type);
    wl_span(&c, p->raw, p->bytes);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}

/* A node's parameters back; type -1: any. */
static cudaError_t get(cudaGraphNode_t node, int want, int *type, packed *p) {
    wl_call c;
    struct wire_in_GraphNodeGet *in = WL_BEGIN(&c, GraphNodeGet, 0);
    in->node = WL_U64(node);
    cudaError_t e = wl_send(&c);
    if (!e) {
        int is = (int)WL_OUT(&c, GraphNodeGet)->type;
        if (type) *type = is;
        if (want >= 0 && is != want) e = cudaErrorInvalidValue;
        if (p && c.spans && c.span_bytes[0] <= sizeof p->raw)
            memcpy(p->raw, c.span[0], p->bytes = c.span_bytes[0]);
    }
    wl_end(&c);
    return e;
}

#define NODE_ARGS cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n
#define DEFINE(name, args, ...)                                                                    \
    WL_EXPORT cudaError_t name args;                                                               \
    cudaError_t name args {                                                                        \
        __VA_ARGS__                                                                                \
    }
#define PACKED(type, packing)                                                                      \
    packed p;                                                                                      \
    cudaError_t e = packing;                                                                       \
    return add(node, graph, deps, n, type, e, &p, NULL);
#define RESET(exec, node, type, packing)                                                           \
    packed p;                                                                                      \
    cudaError_t e = packing;                                                                       \
    return set(exec, node, type, e, &p);

DEFINE(cudaGraphAddKernelNode, (NODE_ARGS, const struct cudaKernelNodeParams *k),
       PACKED(cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
DEFINE(cudaGraphAddMemcpyNode, (NODE_ARGS, const struct cudaMemcpy3DParms *c),
       PACKED(cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
DEFINE(cudaGraphAddMemcpyNode1D, (NODE_ARGS, void *dst, const void *src, size_t bytes, int kind),
       PACKED(cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, bytes, kind)))
DEFINE(cudaGraphAddMemcpyNodeToSymbol,
       (NODE_ARGS, const void *symbol, const void *src, size_t bytes, size_t offset, int kind),
       PACKED(cudaGraphNodeTypeMemcpy,
              pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, bytes, offset, true, kind)))
DEFINE(cudaGraphAddMemcpyNodeFromSymbol,
       (NODE_ARGS, void *dst, const void *symbol, size_t bytes, size_t offset, int kind),
       PACKED(cudaGraphNodeTypeMemcpy,
              pack_copy_symbol(&p, symbol, dst, bytes, offset, false, kind)))
DEFINE(cudaGraphAddMemsetNode, (NODE_ARGS, const struct cudaMemsetParams *m),
       PACKED(cudaGraphNodeTypeMemset, pack_fill(&p, m)))
DEFINE(cudaGraphAddHostNode, (NODE_ARGS, const struct cudaHostNodeParams *h),
       PACKED(cudaGraphNodeTypeHost, pack_host(&p, h)))
DEFINE(cudaGraphAddChildGraphNode, (NODE_ARGS, cudaGraph_t child),
       PACKED(cudaGraphNodeTypeGraph, pack_handle(&p, child)))
DEFINE(cudaGraphAddEmptyNode, (NODE_ARGS),
       return add(node, graph, deps, n, cudaGraphNodeTypeEmpty, cudaSuccess, NULL, NULL);)
DEFINE(cudaGraphAddEventRecordNode, (NODE_ARGS, cudaEvent_t event),
       PACKED(cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
DEFINE(cudaGraphAddEventWaitNode, (NODE_ARGS, cudaEvent_t event),
       PACKED(cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))
DEFINE(cudaGraphAddMemFreeNode, (NODE_ARGS, void *address),
       PACKED(cudaGraphNodeTypeMemFree, pack_alloc(&p, 0, address)))
DEFINE(cudaGraphAddMemAllocNode, (NODE_ARGS, struct cudaMemAllocNodeParams *a), packed p;
       uint64_t at = 0; if (!a) return wl_result(cudaErrorInvalidValue);
       pack_alloc(&p, a->bytesize, NULL);
       cudaError_t e = add(node, graph, deps, n, cudaGraphNodeTypeMemAlloc, cudaSuccess, &p, &at);
       if (!e) a->dptr = WL_HANDLE(void *, at); return e;)

DEFINE(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const struct cudaKernelNodeParams *k),
       RESET(NULL, node, cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
DEFINE(cudaGraphExecKernelNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *k),
       RESET(exec, node, cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
DEFINE(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t node, const struct cudaMemcpy3DParms *c),
       RESET(NULL, node, cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
DEFINE(cudaGraphExecMemcpyNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *c),
       RESET(exec, node, cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
DEFINE(cudaGraphMemcpyNodeSetParams1D,
       (cudaGraphNode_t node, void *dst, const void *src, size_t n, int kind),
       RESET(NULL, node, cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, n, kind)))
DEFINE(cudaGraphExecMemcpyNodeSetParams1D,
       (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t n, int kind),
       RESET(exec, node, cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, n, kind)))
DEFINE(cudaGraphMemcpyNodeSetParamsToSymbol,
       (cudaGraphNode_t node, const void *symbol, const void *src, size_t n, size_t offset,
        int kind),
       RESET(NULL, node, cudaGraphNodeTypeMemcpy,
             pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, n, offset, true, kind)))
DEFINE(cudaGraphExecMemcpyNodeSetParamsToSymbol,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol, const void *src, size_t n,
        size_t offset, int kind),
       RESET(exec, node, cudaGraphNodeTypeMemcpy,
             pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, n, offset, true, kind)))
DEFINE(cudaGraphMemcpyNodeSetParamsFromSymbol,
       (cudaGraphNode_t node, void *dst, const void *symbol, size_t n, size_t offset, int kind),
       RESET(NULL, node, cudaGraphNodeTypeMemcpy,
             pack_copy_symbol(&p, symbol, dst, n, offset, false, kind)))
DEFINE(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
       (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *symbol, size_t n,
        size_t offset, int kind),
       RESET(exec, node, cudaGraphNodeTypeMemcpy,
             pack_copy_symbol(&p, symbol, dst, n, offset, false, kind)))
DEFINE(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const struct cudaMemsetParams *m),
       RESET(NULL, node, cudaGraphNodeTypeMemset, pack_fill(&p, m)))
DEFINE(cudaGraphExecMemsetNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *m),
       RESET(exec, node, cudaGraphNodeTypeMemset, pack_fill(&p, m)))
DEFINE(cudaGraphHostNodeSetParams, (cudaGraphNode_t node, const struct cudaHostNodeParams *h),
       RESET(NULL, node, cudaGraphNodeTypeHost, pack_host(&p, h)))
DEFINE(cudaGraphExecHostNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *h),
       RESET(exec, node, cudaGraphNodeTypeHost, pack_host(&p, h)))
DEFINE(cudaGraphExecChildGraphNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child),
       RESET(exec, node, cudaGraphNodeTypeGraph, pack_handle(&p, child)))
DEFINE(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
       RESET(NULL, node, cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
DEFINE(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
       RESET(NULL, node, cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))
DEFINE(cudaGraphExecEventRecordNodeSetEvent,
       (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
       RESET(exec, node, cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
DEFINE(cudaGraphExecEventWaitNodeSetEvent,
       (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
       RESET(exec, node, cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))

/* ---- one struct for every type */

static cudaError_t pack_any(packed *p, const struct cudaGraphNodeParams *g) {
    static bool once;
    switch (g->type) {
    case cudaGraphNodeTypeKernel: return pack_kernel(p, &g->kernel, false);
    case cudaGraphNodeTypeMemcpy: return pack_copy_3d(p, &g->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return pack_fill(p, &g->memset);
    case cudaGraphNodeTypeHost: return pack_host(p, &g->host);
    case cudaGraphNodeTypeGraph: return pack_handle(p, g->graph.graph);
    case cudaGraphNodeTypeEmpty: return p->bytes = 0, cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return pack_handle(p, g->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return pack_handle(p, g->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return pack_alloc(p, g->alloc.bytesize, NULL);
    case cudaGraphNodeTypeMemFree: return pack_alloc(p, 0, g->free.dptr);
    case cudaGraphNodeTypeConditional: return pack_conditional(p, &g->conditional);
    default:
        wl_say(&once, "graph nodes of type %d (semaphore nodes) are not supported", g->type);
        return cudaErrorNotSupported;
    }
}

/* The arrays that phGraph_out points to: each is valid as long as its node, which nobody tells us
 * the end of. So the nodes are asked for when there are twice as many arrays as were found live the
 * last time. */
typedef struct bodies {
    struct bodies *next;
    cudaGraphNode_t node;
    cudaGraph_t graph[];
} bodies;
static struct {
    pthread_mutex_t lock;
    bodies *first;
    size_t count, most;
} arrays = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = 32};

static void keep_bodies(bodies *b) {
    pthread_mutex_lock(&arrays.lock);
    if (arrays.count >= arrays.most) {
        for (bodies **at = &arrays.first; *at;) {
            bodies *old = *at;
            if (get(old->node, cudaGraphNodeTypeConditional, NULL, NULL) == cudaErrorInvalidValue) {
                *at = old->next;
                free(old);
                arrays.count--;
            } else {
                at = &old->next;
            }
        }
        arrays.most = arrays.count < 16 ? 32 : 2 * arrays.count;
    }
    b->next = arrays.first;
    arrays.first = b;
    arrays.count++;
    pthread_mutex_unlock(&arrays.lock);
}

static cudaError_t add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t n,
                                   struct cudaConditionalNodeParams *c) {
    packed p;
    /* The server says what is wrong with a size; how many it takes is its business too. */
    bodies *b = c->size <= WIRE_MAX_BYTES / 16
                    ? calloc(1, sizeof *b + c->size * sizeof(cudaGraph_t))
                    : NULL;
    cudaError_t e = pack_conditional(&p, c);
    if (c->size <= WIRE_MAX_BYTES / 16 && !b) e = cudaErrorMemoryAllocation;
    e = add_node(node, graph, deps, n, cudaGraphNodeTypeConditional, e, &p, NULL,
                 b ? b->graph : NULL);
    if (e || !b) {
        free(b);
        return e;
    }
    b->node = *node;
    c->phGraph_out = b->graph;
    keep_bodies(b);
    return cudaSuccess;
}
DEFINE(cudaGraphAddNode,
       (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps,
        const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *g),
       packed p;
       uint64_t at = 0; (void)edges; if (!g) return wl_result(cudaErrorInvalidValue);
       if (g->type == cudaGraphNodeTypeConditional) return add_conditional(node, graph, deps, n,
                                                                           &g->conditional);
       cudaError_t e = pack_any(&p, g); e = add(node, graph, deps, n, g->type, e, &p, &at);
       if (!e && g->type == cudaGraphNodeTypeMemAlloc) g->alloc.dptr = WL_HANDLE(void *, at);
       return e;)
DEFINE(cudaGraphNodeSetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams *g),
       if (!g) return wl_result(cudaErrorInvalidValue);
       RESET(NULL, node, g->type, pack_any(&p, g)))
DEFINE(cudaGraphExecNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *g),
       if (!g) return wl_result(cudaErrorInvalidValue);
       RESET(exec, node, g->type, pack_any(&p, g)))

/* ---- asking nodes */

DEFINE(cudaGraphNodeGetType, (cudaGraphNode_t node, int *type),
       return wl_result(type ? get(node, -1, type, NULL) : cudaErrorInvalidValue);)
DEFINE(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, struct cudaMemsetParams *m),
       packed p = {0};
       cudaError_t e = m ? get(node, cudaGraphNodeTypeMemset, NULL, &p) : cudaErrorInvalidValue;
       if (!e) *m = (struct cudaMemsetParams){WL_HANDLE(void *, p.fill.to.address), p.fill.to.pitch,
                                              p.fill.value, p.fill.element,
                                              p.fill.width / (p.fill.element ? p.fill.element : 1),
                                              p.fill.height};
       return wl_result(e);)
DEFINE(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *h),
       packed p = {0};
       cudaError_t e = h ? get(node, cudaGraphNodeTypeHost, NULL, &p) : cudaErrorInvalidValue;
       if (!e) *h = (struct cudaHostNodeParams){(cudaHostFn_t)(uintptr_t)p.host.fn,
                                                WL_HANDLE(void *, p.host.data)};
       return wl_result(e);)
DEFINE(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *graph), packed p = {0};
       cudaError_t e = graph ? get(node, cudaGraphNodeTypeGraph, NULL, &p) : cudaErrorInvalidValue;
       if (!e) *graph = WL_HANDLE(cudaGraph_t, p.handle); return wl_result(e);)
DEFINE(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event), packed p = {0};
       cudaError_t e = event ? get(node, cudaGraphNodeTypeEventRecord, NULL, &p)
                             : cudaErrorInvalidValue;
       if (!e) *event = WL_HANDLE(cudaEvent_t, p.handle); return wl_result(e);)
DEFINE(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event), packed p = {0};
       cudaError_t e = event ? get(node, cudaGraphNodeTypeWaitEvent, NULL, &p)
                             : cudaErrorInvalidValue;
       if (!e) *event = WL_HANDLE(cudaEvent_t, p.handle); return wl_result(e);)
DEFINE(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *address), packed p = {0};
       cudaError_t e = address ? get(node, cudaGraphNodeTypeMemFree, NULL, &p)
                               : cudaErrorInvalidValue;
       if (!e) * (void **)address = WL_HANDLE(void *, p.alloc.address); return wl_result(e);)

/* ---- lists. The runtime's convention: a NULL array asks for the count; else *n says how many fit, and what
 * lies past the end is NULL. */

static cudaError_t list(int what, uint64_t handle, void **first, void **second, size_t *n) {
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
/* list() for the calls that also give each edge's data: all zero, since plain edges are the only
 * ones. */
static cudaError_t list_edges(int what, uint64_t of, void **first, void **second,
                              cudaGraphEdgeData *data, size_t *n) {
    if (!n) return wl_result(cudaErrorInvalidValue);
    size_t room = *n;
    cudaError_t e = list(what, of, first, second, n);
    if (!e && data) memset(data, 0, (*n < room ? *n : room) * sizeof *data);
    return e;
}
DEFINE(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n),
       return list(0, WL_U64(graph), (void **)nodes, NULL, n);)
DEFINE(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n),
       return list(1, WL_U64(graph), (void **)nodes, NULL, n);)
DEFINE(cudaGraphGetEdges,
       (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
        size_t *n),
       return list_edges(2, WL_U64(graph), (void **)from, (void **)to, data, n);)
DEFINE(cudaGraphNodeGetDependencies,
       (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *data, size_t *n),
       return list_edges(3, WL_U64(node), (void **)deps, NULL, data, n);)
DEFINE(cudaGraphNodeGetDependentNodes,
       (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *data, size_t *n),
       return list_edges(4, WL_U64(node), (void **)deps, NULL, data, n);)

static cudaError_t edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         size_t n, bool add_them) {
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
DEFINE(cudaGraphAddDependencies,
       (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
        const cudaGraphEdgeData *data, size_t n),
       (void)data;
       return edges(graph, from, to, n, true);)
DEFINE(cudaGraphRemoveDependencies,
       (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
        const cudaGraphEdgeData *data, size_t n),
       (void)data;
       return edges(graph, from, to, n, false);)

/* ---- graphs */

DEFINE(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), wl_call c;
       if (!graph || flags) return wl_result(cudaErrorInvalidValue); WL_BEGIN(&c, GraphCreate, 0);
       cudaError_t e = wl_send(&c);
       if (!e) *graph = WL_HANDLE(cudaGraph_t, WL_OUT(&c, GraphCreate)->graph); wl_end(&c);
       return wl_result(e);)
DEFINE(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph), wl_call c;
       if (!clone) return wl_result(cudaErrorInvalidValue);
       struct wire_in_GraphClone *in = WL_BEGIN(&c, GraphClone, 0); in->graph = WL_U64(graph);
       cudaError_t e = wl_send(&c);
       if (!e) *clone = WL_HANDLE(cudaGraph_t, WL_OUT(&c, GraphClone)->clone); wl_end(&c);
       return wl_result(e);)

/* *result: a cudaGraphInstantiateResult. */
static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags,
                               int *result) {
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
DEFINE(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
       int result;
       return instantiate(exec, graph, flags, &result);)
DEFINE(cudaGraphInstantiateWithFlags,
       (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), int result;
       return instantiate(exec, graph, flags, &result);)
static cudaError_t instantiate_params(cudaGraphExec_t *exec, cudaGraph_t graph,
                                      cudaGraphInstantiateParams *p) {
    if (!p) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = instantiate(exec, graph, p->flags, &p->result_out);
    p->errNode_out = NULL;
    return e;
}
DEFINE(cudaGraphInstantiateWithParams,
       (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *p),
       return instantiate_params(exec, graph, p);)
DEFINE(cudaGraphInstantiateWithParams_ptsz,
       (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams *p),
       return instantiate_params(exec, graph, p);)

DEFINE(
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

/* The server writes the graph's text; the file is the program's. */
DEFINE(
    cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned flags), (void)flags;
    size_t n = 0; if (!path) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = list(2, WL_U64(graph), NULL, NULL, &n); if (e) return e;
    void **from = calloc(n + 1, sizeof *from), **to = calloc(n + 1, sizeof *to);
    FILE *f = fopen(path, "w");
    if (from && to && f && !(e = list(2, WL_U64(graph), from, to, &n))) {
        fprintf(f, "digraph dot {\n");
        for (size_t i = 0; i < n; i++) fprintf(f, "\"%p\" -> \"%p\";\n", from[i], to[i]);
        fprintf(f, "}\n");
    } else if (!e) e = cudaErrorOperatingSystem;
    if (f) fclose(f); free(from); free(to); return wl_result(e);)

DEFINE(cudaDeviceGetGraphMemAttribute, (int device, int attr, void *value), wl_call c;
       if (!value) return wl_result(cudaErrorInvalidValue);
       struct wire_in_GraphMemory *in = WL_BEGIN(&c, GraphMemory, 0);
       in->device = WL_U64(device), in->attr = WL_U64(attr); cudaError_t e = wl_send(&c);
       if (!e) * (uint64_t *)value = WL_OUT(&c, GraphMemory)->value; wl_end(&c);
       return wl_result(e);)

/* ---- capture beyond calls.def's simple ones */

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
    DEFINE(cudaStreamBeginCaptureToGraph##suffix,                                                  \
           (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,                   \
            const cudaGraphEdgeData *data, size_t n, int mode),                                    \
           (void)data;                                                                             \
           return capture_to_graph(stream, graph, deps, n, mode, flags);)                          \
    DEFINE(cudaStreamGetCaptureInfo##suffix,                                                       \
           (cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,          \
            const cudaGraphNode_t **deps, const cudaGraphEdgeData **edge, size_t *n),              \
           return capture_info(stream, status, id, graph, deps, edge, n, flags);)                  \
    DEFINE(cudaStreamUpdateCaptureDependencies##suffix,                                            \
           (cudaStream_t stream, cudaGraphNode_t * deps, const cudaGraphEdgeData *data, size_t n,  \
            unsigned how),                                                                         \
           (void)data;                                                                             \
           return capture_dependencies(stream, deps, n, how, flags);)
CAPTURE(, 0)
CAPTURE(_ptsz, WIRE_F_PER_THREAD)
