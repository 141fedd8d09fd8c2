/* Turns a node's parameters from a message into work. */
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/device/server/core/memory.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

/* A parser for each type of node: turns n bytes at p (as many as its row says) into w, whose device
 * and size are set. */
typedef cudaError_t node_parser(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                                dev_work *w);

static cudaError_t parse_launch(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                                dev_work *w) {
    (void)g;
    wire_launch l;
    dev_kernel *kernel;
    if (n < sizeof l) return cudaErrorInvalidValue;
    memcpy(&l, p, sizeof l);
    cudaError_t e = dev_launch_check(k->c, k->device, &l, n - sizeof l, &kernel);
    if (e) return e;
    w->kind = DEV_WORK_LAUNCH;
    w->launch.kernel = kernel, w->launch.at = l,
    w->launch.carveout = dev_launch_carveout(kernel, &l);
    return cudaSuccess;
}

static cudaError_t parse_copy(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                              dev_work *w) {
    (void)g;
    memcpy(&w->copy, p, n);
    w->kind = DEV_WORK_COPY;
    w->copy.async = 1;
    if (w->copy.from.at == WIRE_AT_PAGEABLE && w->copy.to.at == WIRE_AT_PAGEABLE)
        return cudaErrorNotSupported;
    if (w->copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    return dev_copy_check(k->c, k->device, &w->copy);
}

static cudaError_t parse_fill(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                              dev_work *w) {
    (void)g;
    memcpy(&w->fill, p, n);
    w->kind = DEV_WORK_FILL;
    return dev_fill_check(k->c, k->device, &w->fill);
}

static cudaError_t parse_host(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                              dev_work *w) {
    wire_host h;
    (void)k, (void)g;
    memcpy(&h, p, n);
    w->kind = DEV_WORK_HOST;
    w->host.fn = h.fn, w->host.data = h.data;
    return cudaSuccess;
}

static cudaError_t parse_child(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                               dev_work *w) {
    uint64_t h;
    memcpy(&h, p, n);
    const dev_graph *child = dev_object(k->c, h, DEV_GRAPH);
    if (!child) return cudaErrorInvalidValue;
    if (dev_graph_conditional(child)) return dev_refuse(k, w_server_conditional_child());
    w->kind = DEV_WORK_CHILD;
    /* The child of an instance is as private as the rest of it. */
    w->child = dev_graph_clone(k->c, child, g->handle != 0, dev_graph_depth(g) + 1);
    return w->child ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t parse_empty(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                               dev_work *w) {
    (void)k, (void)g, (void)p, (void)n;
    w->kind = DEV_WORK_EMPTY;
    return cudaSuccess;
}

static cudaError_t parse_event(dev_call *k, const uint8_t *p, size_t n, dev_work_kind kind,
                               dev_work *w) {
    uint64_t h;
    memcpy(&h, p, n);
    w->kind = kind;
    w->event.event = dev_object(k->c, h, DEV_EVENT);
    return w->event.event ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
static cudaError_t parse_wait(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                              dev_work *w) {
    (void)g;
    return parse_event(k, p, n, DEV_WORK_WAIT, w);
}
static cudaError_t parse_record(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                                dev_work *w) {
    (void)g;
    return parse_event(k, p, n, DEV_WORK_RECORD, w);
}

static cudaError_t parse_conditional(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                                     dev_work *w) {
    wire_conditional x;
    memcpy(&x, p, n);
    return dev_conditional_parse(k, g, &x, w);
}

static cudaError_t parse_alloc(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                               dev_work *w) {
    (void)g;
    memcpy(&w->alloc, p, n);
    w->kind = DEV_WORK_ALLOC;
    return dev_mem_allocate(k->c, k->device, w->alloc.bytes, DEV_MEM_GRAPH, 0, &w->alloc.address);
}

static cudaError_t parse_free(dev_call *k, const dev_graph *g, const uint8_t *p, size_t n,
                              dev_work *w) {
    (void)g;
    memcpy(&w->alloc, p, n);
    w->kind = DEV_WORK_FREE;
    const dev_mem *m = dev_mem_find(k->c, w->alloc.address);
    return m && m->base == w->alloc.address && m->kind == DEV_MEM_GRAPH ? cudaSuccess
                                                                        : cudaErrorInvalidValue;
}

static const struct {
    size_t bytes;
    node_parser *parse;
} node_types[] = {[cudaGraphNodeTypeKernel] = {0, parse_launch}, /* parameters follow */
                  [cudaGraphNodeTypeMemcpy] = {sizeof(wire_copy), parse_copy},
                  [cudaGraphNodeTypeMemset] = {sizeof(wire_fill), parse_fill},
                  [cudaGraphNodeTypeHost] = {sizeof(wire_host), parse_host},
                  [cudaGraphNodeTypeGraph] = {sizeof(uint64_t), parse_child},
                  [cudaGraphNodeTypeEmpty] = {0, parse_empty},
                  [cudaGraphNodeTypeWaitEvent] = {sizeof(uint64_t), parse_wait},
                  [cudaGraphNodeTypeEventRecord] = {sizeof(uint64_t), parse_record},
                  [cudaGraphNodeTypeMemAlloc] = {sizeof(wire_alloc), parse_alloc},
                  [cudaGraphNodeTypeMemFree] = {sizeof(wire_alloc), parse_free},
                  [cudaGraphNodeTypeConditional] = {sizeof(wire_conditional), parse_conditional}};

/* Frees what a parser made, if it is not used. */
static void node_discard(dev_client *c, dev_work *w) {
    size_t count;
    dev_graph **below = dev_graph_below(w, &count);
    for (size_t i = 0; i < count; i++) dev_graph_free(c, below[i]);
    if (w->kind != DEV_WORK_CONDITIONAL) return;
    free(below);
    dev_condition_release(c, w->conditional.on);
}

cudaError_t dev_node_parse(dev_call *k, const dev_graph *g, int type, const uint8_t *p, size_t n,
                           dev_work **out) {
    dev_work w = {.device = k->device, .bytes = sizeof w};
    *out = NULL;
    if (type < 0 || (size_t)type >= sizeof node_types / sizeof *node_types)
        return cudaErrorNotSupported;
    if (type != cudaGraphNodeTypeKernel && n != node_types[type].bytes)
        return cudaErrorInvalidValue;
    if (!node_types[type].parse) return cudaErrorNotSupported;
    cudaError_t e = node_types[type].parse(k, g, p, n, &w);
    if (e) return e;
    size_t extra = type == cudaGraphNodeTypeKernel ? n - sizeof(wire_launch) : 0;
    dev_work *copy = malloc(sizeof w + extra);
    if (!copy) {
        node_discard(k->c, &w);
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, &w, sizeof w);
    copy->bytes += extra;
    if (extra) memcpy(copy->params, p + sizeof(wire_launch), extra);
    if (w.kind == DEV_WORK_WAIT || w.kind == DEV_WORK_RECORD) w.event.event->refs++;
    if (!dev_instance_allows(k, g, copy)) {
        dev_graph_drop(k->c, copy);
        return cudaErrorNotSupported;
    }
    *out = copy;
    return cudaSuccess;
}
