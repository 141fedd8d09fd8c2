/* Nodes of graphs. This file flattens a node's parameters (kernels' arguments are copied, as by the
 * runtime); the server keeps them. */
#include "runner/device/cudart/client.h"
#include "words/cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters to bytes: wire_launch + parameter block, wire_copy, wire_fill, wire_host,
 * wire_alloc, wire_conditional, a handle */

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
} packed_node;

static cudaError_t pack_kernel(packed_node *p, const struct cudaKernelNodeParams *k,
                               bool cooperative) {
    uint8_t params[WIRE_PARAM_BYTES + 4];
    if (!k) return cudaErrorInvalidValue;
    cudaError_t e = wl_launch_pack(k->func, k->gridDim, k->blockDim, k->kernelParams, k->extra,
                                   k->sharedMemBytes, cooperative, NULL, &p->launch, params);
    if (e) return e;
    memcpy(p->raw + sizeof p->launch, params, p->launch.param_bytes);
    p->bytes = sizeof p->launch + p->launch.param_bytes;
    return cudaSuccess;
}
static cudaError_t pack_copy(packed_node *p, const wire_copy *w) {
    p->copy = *w;
    p->copy.async = 1;
    p->bytes = sizeof p->copy;
    return wl_copy_check(&p->copy);
}
static cudaError_t pack_copy_3d(packed_node *p, const struct cudaMemcpy3DParms *c) {
    wire_copy w;
    cudaError_t e = wl_copy_3d(c, &w);
    return e ? e : pack_copy(p, &w);
}
static cudaError_t pack_copy_1d(packed_node *p, void *dst, const void *src, size_t n, int kind) {
    wire_copy w;
    cudaError_t e = n ? wl_copy_linear(dst, src, n, kind, &w) : cudaErrorInvalidValue;
    return e ? e : pack_copy(p, &w);
}
static cudaError_t pack_copy_symbol(packed_node *p, const void *symbol, void *mem, size_t n,
                                    size_t offset, bool to_symbol, int kind) {
    uint64_t at, bytes;
    cudaError_t e = wl_symbol(symbol, &at, &bytes);
    if (e) return e;
    if (offset > bytes || n > bytes - offset) return cudaErrorInvalidValue;
    void *s = WL_HANDLE(void *, at + offset);
    return to_symbol ? pack_copy_1d(p, s, mem, n, kind) : pack_copy_1d(p, mem, s, n, kind);
}
static cudaError_t pack_fill(packed_node *p, const struct cudaMemsetParams *m) {
    if (!m) return cudaErrorInvalidValue;
    p->bytes = sizeof p->fill;
    return wl_fill_describe(m->dst, m->pitch, m->value, m->elementSize, m->width, m->height,
                            &p->fill);
}
static cudaError_t pack_host(packed_node *p, const struct cudaHostNodeParams *h) {
    if (!h || !h->fn) return cudaErrorInvalidValue;
    p->host = (wire_host){WL_U64(h->fn), WL_U64(h->userData)};
    p->bytes = sizeof p->host;
    return cudaSuccess;
}
static cudaError_t pack_handle(packed_node *p, const void *h) {
    p->handle = WL_U64(h);
    p->bytes = sizeof p->handle;
    return cudaSuccess;
}
static cudaError_t pack_alloc(packed_node *p, size_t bytes, const void *address) {
    p->alloc = (wire_alloc){bytes, WL_U64(address)};
    p->bytes = sizeof p->alloc;
    return cudaSuccess;
}

static cudaError_t pack_conditional(packed_node *p, const struct cudaConditionalNodeParams *c) {
    p->conditional = (wire_conditional){c->handle, (uint32_t)c->type, c->size};
    p->bytes = sizeof p->conditional;
    return cudaSuccess;
}

/* ---- nodes */

/* bodies: those of a conditional node. */
static cudaError_t node_send(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             size_t n, int type, cudaError_t packing, const packed_node *p,
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
static cudaError_t node_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                            size_t n, int type, cudaError_t packing, const packed_node *p,
                            uint64_t *address) {
    return node_send(node, graph, deps, n, type, packing, p, address, NULL);
}

static cudaError_t node_set(cudaGraphExec_t exec, cudaGraphNode_t node, int type,
                            cudaError_t packing, const packed_node *p) {
    wl_call c;
    if (packing) return wl_result(packing);
    struct wire_in_GraphNodeSet *in = WL_BEGIN(&c, GraphNodeSet, 0);
    in->exec = WL_U64(exec), in->node = WL_U64(node), in->type = WL_U64(type);
    wl_span(&c, p->raw, p->bytes);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}

/* Reads a node's parameters back; type -1: any. */
static cudaError_t node_get(cudaGraphNode_t node, int want, int *type, packed_node *p) {
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
#define PACKED(type, packing)                                                                      \
    packed_node p;                                                                                 \
    cudaError_t e = packing;                                                                       \
    return node_add(node, graph, deps, n, type, e, &p, NULL);
#define RESET(exec, node, type, packing)                                                           \
    packed_node p;                                                                                 \
    cudaError_t e = packing;                                                                       \
    return node_set(exec, node, type, e, &p);

WL_DEFINE(cudaGraphAddKernelNode, (NODE_ARGS, const struct cudaKernelNodeParams *k),
          PACKED(cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
WL_DEFINE(cudaGraphAddMemcpyNode, (NODE_ARGS, const struct cudaMemcpy3DParms *c),
          PACKED(cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
WL_DEFINE(cudaGraphAddMemcpyNode1D, (NODE_ARGS, void *dst, const void *src, size_t bytes, int kind),
          PACKED(cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, bytes, kind)))
WL_DEFINE(cudaGraphAddMemcpyNodeToSymbol,
          (NODE_ARGS, const void *symbol, const void *src, size_t bytes, size_t offset, int kind),
          PACKED(cudaGraphNodeTypeMemcpy,
                 pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, bytes, offset, true, kind)))
WL_DEFINE(cudaGraphAddMemcpyNodeFromSymbol,
          (NODE_ARGS, void *dst, const void *symbol, size_t bytes, size_t offset, int kind),
          PACKED(cudaGraphNodeTypeMemcpy,
                 pack_copy_symbol(&p, symbol, dst, bytes, offset, false, kind)))
WL_DEFINE(cudaGraphAddMemsetNode, (NODE_ARGS, const struct cudaMemsetParams *m),
          PACKED(cudaGraphNodeTypeMemset, pack_fill(&p, m)))
WL_DEFINE(cudaGraphAddHostNode, (NODE_ARGS, const struct cudaHostNodeParams *h),
          PACKED(cudaGraphNodeTypeHost, pack_host(&p, h)))
WL_DEFINE(cudaGraphAddChildGraphNode, (NODE_ARGS, cudaGraph_t child),
          PACKED(cudaGraphNodeTypeGraph, pack_handle(&p, child)))
WL_DEFINE(cudaGraphAddEmptyNode, (NODE_ARGS),
          return node_add(node, graph, deps, n, cudaGraphNodeTypeEmpty, cudaSuccess, NULL, NULL);)
WL_DEFINE(cudaGraphAddEventRecordNode, (NODE_ARGS, cudaEvent_t event),
          PACKED(cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
WL_DEFINE(cudaGraphAddEventWaitNode, (NODE_ARGS, cudaEvent_t event),
          PACKED(cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))
WL_DEFINE(cudaGraphAddMemFreeNode, (NODE_ARGS, void *address),
          PACKED(cudaGraphNodeTypeMemFree, pack_alloc(&p, 0, address)))
WL_DEFINE(cudaGraphAddMemAllocNode, (NODE_ARGS, struct cudaMemAllocNodeParams *a), packed_node p;
          uint64_t at = 0; if (!a) return wl_result(cudaErrorInvalidValue);
          pack_alloc(&p, a->bytesize, NULL);
          cudaError_t e = node_add(node, graph, deps, n, cudaGraphNodeTypeMemAlloc, cudaSuccess, &p,
                                   &at);
          if (!e) a->dptr = WL_HANDLE(void *, at); return e;)

WL_DEFINE(cudaGraphKernelNodeSetParams,
          (cudaGraphNode_t node, const struct cudaKernelNodeParams *k),
          RESET(NULL, node, cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
WL_DEFINE(cudaGraphExecKernelNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *k),
          RESET(exec, node, cudaGraphNodeTypeKernel, pack_kernel(&p, k, false)))
WL_DEFINE(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t node, const struct cudaMemcpy3DParms *c),
          RESET(NULL, node, cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
WL_DEFINE(cudaGraphExecMemcpyNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *c),
          RESET(exec, node, cudaGraphNodeTypeMemcpy, pack_copy_3d(&p, c)))
WL_DEFINE(cudaGraphMemcpyNodeSetParams1D,
          (cudaGraphNode_t node, void *dst, const void *src, size_t n, int kind),
          RESET(NULL, node, cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, n, kind)))
WL_DEFINE(cudaGraphExecMemcpyNodeSetParams1D,
          (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t n,
           int kind),
          RESET(exec, node, cudaGraphNodeTypeMemcpy, pack_copy_1d(&p, dst, src, n, kind)))
WL_DEFINE(cudaGraphMemcpyNodeSetParamsToSymbol,
          (cudaGraphNode_t node, const void *symbol, const void *src, size_t n, size_t offset,
           int kind),
          RESET(NULL, node, cudaGraphNodeTypeMemcpy,
                pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, n, offset, true, kind)))
WL_DEFINE(cudaGraphExecMemcpyNodeSetParamsToSymbol,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol, const void *src,
           size_t n, size_t offset, int kind),
          RESET(exec, node, cudaGraphNodeTypeMemcpy,
                pack_copy_symbol(&p, symbol, (void *)(uintptr_t)src, n, offset, true, kind)))
WL_DEFINE(cudaGraphMemcpyNodeSetParamsFromSymbol,
          (cudaGraphNode_t node, void *dst, const void *symbol, size_t n, size_t offset, int kind),
          RESET(NULL, node, cudaGraphNodeTypeMemcpy,
                pack_copy_symbol(&p, symbol, dst, n, offset, false, kind)))
WL_DEFINE(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
          (cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *symbol, size_t n,
           size_t offset, int kind),
          RESET(exec, node, cudaGraphNodeTypeMemcpy,
                pack_copy_symbol(&p, symbol, dst, n, offset, false, kind)))
WL_DEFINE(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const struct cudaMemsetParams *m),
          RESET(NULL, node, cudaGraphNodeTypeMemset, pack_fill(&p, m)))
WL_DEFINE(cudaGraphExecMemsetNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *m),
          RESET(exec, node, cudaGraphNodeTypeMemset, pack_fill(&p, m)))
WL_DEFINE(cudaGraphHostNodeSetParams, (cudaGraphNode_t node, const struct cudaHostNodeParams *h),
          RESET(NULL, node, cudaGraphNodeTypeHost, pack_host(&p, h)))
WL_DEFINE(cudaGraphExecHostNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *h),
          RESET(exec, node, cudaGraphNodeTypeHost, pack_host(&p, h)))
WL_DEFINE(cudaGraphExecChildGraphNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child),
          RESET(exec, node, cudaGraphNodeTypeGraph, pack_handle(&p, child)))
WL_DEFINE(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
          RESET(NULL, node, cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
WL_DEFINE(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
          RESET(NULL, node, cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))
WL_DEFINE(cudaGraphExecEventRecordNodeSetEvent,
          (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
          RESET(exec, node, cudaGraphNodeTypeEventRecord, pack_handle(&p, event)))
WL_DEFINE(cudaGraphExecEventWaitNodeSetEvent,
          (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event),
          RESET(exec, node, cudaGraphNodeTypeWaitEvent, pack_handle(&p, event)))

/* ---- one struct for every type */

static cudaError_t pack_any(packed_node *p, const struct cudaGraphNodeParams *g) {
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
    default: w_cudart_node_type(&once, g->type); return cudaErrorNotSupported;
    }
}

/* The arrays to which phGraph_out points. Each is valid as long as its node, whose end is not
 * reported. So the nodes are checked when there are twice as many arrays as were live at the last
 * check. */
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

static void bodies_keep(bodies *b) {
    pthread_mutex_lock(&arrays.lock);
    if (arrays.count >= arrays.most) {
        for (bodies **at = &arrays.first; *at;) {
            bodies *old = *at;
            if (node_get(old->node, cudaGraphNodeTypeConditional, NULL, NULL) ==
                cudaErrorInvalidValue) {
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

static cudaError_t node_add_conditional(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *deps, size_t n,
                                        struct cudaConditionalNodeParams *c) {
    packed_node p;
    /* The server says what is wrong with a size, and how many it takes. */
    bodies *b = c->size <= WIRE_MAX_BYTES / 16
                    ? calloc(1, sizeof *b + c->size * sizeof(cudaGraph_t))
                    : NULL;
    cudaError_t e = pack_conditional(&p, c);
    if (c->size <= WIRE_MAX_BYTES / 16 && !b) e = cudaErrorMemoryAllocation;
    e = node_send(node, graph, deps, n, cudaGraphNodeTypeConditional, e, &p, NULL,
                  b ? b->graph : NULL);
    if (e || !b) {
        free(b);
        return e;
    }
    b->node = *node;
    c->phGraph_out = b->graph;
    bodies_keep(b);
    return cudaSuccess;
}
WL_DEFINE(cudaGraphAddNode,
          (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps,
           const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *g),
          packed_node p;
          uint64_t at = 0; (void)edges; if (!g) return wl_result(cudaErrorInvalidValue);
          if (g->type == cudaGraphNodeTypeConditional) return node_add_conditional(node, graph,
                                                                                   deps, n,
                                                                                   &g->conditional);
          cudaError_t e = pack_any(&p, g); e = node_add(node, graph, deps, n, g->type, e, &p, &at);
          if (!e && g->type == cudaGraphNodeTypeMemAlloc) g->alloc.dptr = WL_HANDLE(void *, at);
          return e;)
WL_DEFINE(cudaGraphNodeSetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams *g),
          if (!g) return wl_result(cudaErrorInvalidValue);
          RESET(NULL, node, g->type, pack_any(&p, g)))
WL_DEFINE(cudaGraphExecNodeSetParams,
          (cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *g),
          if (!g) return wl_result(cudaErrorInvalidValue);
          RESET(exec, node, g->type, pack_any(&p, g)))

/* ---- queries about nodes */

WL_DEFINE(cudaGraphNodeGetType, (cudaGraphNode_t node, int *type),
          return wl_result(type ? node_get(node, -1, type, NULL) : cudaErrorInvalidValue);)
WL_DEFINE(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, struct cudaMemsetParams *m),
          packed_node p = {0};
          cudaError_t e = m ? node_get(node, cudaGraphNodeTypeMemset, NULL, &p)
                            : cudaErrorInvalidValue;
          if (!e) *m = (struct cudaMemsetParams){WL_HANDLE(void *, p.fill.to.address),
                                                 p.fill.to.pitch, p.fill.value, p.fill.element,
                                                 p.fill.width /
                                                     (p.fill.element ? p.fill.element : 1),
                                                 p.fill.height};
          return wl_result(e);)
WL_DEFINE(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *h),
          packed_node p = {0};
          cudaError_t e = h ? node_get(node, cudaGraphNodeTypeHost, NULL, &p)
                            : cudaErrorInvalidValue;
          if (!e) *h = (struct cudaHostNodeParams){(cudaHostFn_t)(uintptr_t)p.host.fn,
                                                   WL_HANDLE(void *, p.host.data)};
          return wl_result(e);)
WL_DEFINE(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *graph),
          packed_node p = {0};
          cudaError_t e = graph ? node_get(node, cudaGraphNodeTypeGraph, NULL, &p)
                                : cudaErrorInvalidValue;
          if (!e) *graph = WL_HANDLE(cudaGraph_t, p.handle); return wl_result(e);)
WL_DEFINE(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
          packed_node p = {0};
          cudaError_t e = event ? node_get(node, cudaGraphNodeTypeEventRecord, NULL, &p)
                                : cudaErrorInvalidValue;
          if (!e) *event = WL_HANDLE(cudaEvent_t, p.handle); return wl_result(e);)
WL_DEFINE(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *event),
          packed_node p = {0};
          cudaError_t e = event ? node_get(node, cudaGraphNodeTypeWaitEvent, NULL, &p)
                                : cudaErrorInvalidValue;
          if (!e) *event = WL_HANDLE(cudaEvent_t, p.handle); return wl_result(e);)
WL_DEFINE(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *address), packed_node p = {0};
          cudaError_t e = address ? node_get(node, cudaGraphNodeTypeMemFree, NULL, &p)
                                  : cudaErrorInvalidValue;
          if (!e) * (void **)address = WL_HANDLE(void *, p.alloc.address); return wl_result(e);)
