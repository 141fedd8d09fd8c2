/* Pools, and allocation in stream order. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

/* Returns NULL if memory is out or there are too many handles. */
static dev_pool *pool_new(dev_client *c, unsigned device) {
    dev_pool *p = calloc(1, sizeof *p);
    if (!p || !(p->handle = dev_object_new(c, DEV_POOL, p))) {
        free(p);
        return NULL;
    }
    p->device = device;
    p->reuse[1] = p->reuse[2] = p->reuse[3] = 1;
    return p;
}

cudaError_t dev_on_cudaMemPoolCreate(dev_call *k, const struct wire_in_cudaMemPoolCreate *in,
                                     struct wire_out_cudaMemPoolCreate *out) {
    struct cudaMemPoolProps props;
    (void)in;
    if (k->span_bytes[0] != sizeof props) return cudaErrorInvalidValue;
    memcpy(&props, k->span[0], sizeof props);
    if (props.location.type != cudaMemLocationTypeDevice || props.location.id < 0 ||
        props.location.id >= (int)k->c->s->count)
        return cudaErrorInvalidValue;
    dev_pool *p = pool_new(k->c, (unsigned)props.location.id);
    if (!p) return cudaErrorMemoryAllocation;
    out->memPool = p->handle;
    return cudaSuccess;
}

static dev_pool *pool_default(dev_client *c, unsigned device) {
    dev_pool *p = dev_object(c, c->memory.device[device].default_pool, DEV_POOL);
    if (p || !(p = pool_new(c, device))) return p;
    p->is_default = true;
    c->memory.device[device].default_pool = p->handle;
    if (!c->memory.device[device].pool) c->memory.device[device].pool = p->handle;
    return p;
}

cudaError_t dev_on_cudaDeviceGetDefaultMemPool(dev_call *k,
                                               const struct wire_in_cudaDeviceGetDefaultMemPool *in,
                                               struct wire_out_cudaDeviceGetDefaultMemPool *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    dev_pool *p = pool_default(k->c, (unsigned)in->device);
    if (!p) return cudaErrorMemoryAllocation;
    out->memPool = p->handle;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceGetMemPool(dev_call *k, const struct wire_in_cudaDeviceGetMemPool *in,
                                        struct wire_out_cudaDeviceGetMemPool *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (!pool_default(k->c, (unsigned)in->device)) return cudaErrorMemoryAllocation;
    out->memPool = k->c->memory.device[in->device].pool;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceSetMemPool(dev_call *k, const struct wire_in_cudaDeviceSetMemPool *in,
                                        struct wire_out_cudaDeviceSetMemPool *out) {
    (void)out;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    dev_pool *p = dev_object(k->c, in->memPool, DEV_POOL);
    if (!p || p->device != in->device) return cudaErrorInvalidValue;
    k->c->memory.device[in->device].pool = in->memPool;
    return cudaSuccess;
}

cudaError_t dev_on_cudaMemPoolDestroy(dev_call *k, const struct wire_in_cudaMemPoolDestroy *in,
                                      struct wire_out_cudaMemPoolDestroy *out) {
    dev_pool *p = dev_object(k->c, in->memPool, DEV_POOL);
    (void)out;
    if (!p || p->is_default) return cudaErrorInvalidValue;
    if (k->c->memory.device[p->device].pool == p->handle)
        k->c->memory.device[p->device].pool = k->c->memory.device[p->device].default_pool;
    dev_object_drop(k->c, p->handle);
    free(p);
    return cudaSuccess;
}

enum { POOL_UNIT = 32 << 20 }; /* a driver reserves in units of this size */

static uint64_t pool_units(uint64_t n) {
    return (n + POOL_UNIT - 1) / POOL_UNIT * POOL_UNIT;
}

/* Returns unused memory to the device, as cudaFree would, but keeps `keep` bytes in all. */
static void pool_keep(dev_call *k, dev_pool *p, uint64_t keep) {
    if (p->used > keep) keep = p->used;
    if (keep >= p->reserved || pool_units(keep) >= p->reserved) return;
    dev_spend_memory(k, DEV_COST_FREE, p->reserved - pool_units(keep));
    p->reserved = pool_units(keep);
}

/* Takes what the pool lacks from the device, as cudaMalloc would. */
static void pool_reserve(dev_call *k, dev_pool *p) {
    if (p->used <= p->reserved) return;
    dev_spend_memory(k, DEV_COST_MALLOC, pool_units(p->used) - p->reserved);
    p->reserved = pool_units(p->used);
    if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

void dev_pools_trim(dev_call *k, unsigned device) {
    const uint64_t both[] = {k->c->memory.device[device].default_pool,
                             k->c->memory.device[device].pool};
    for (unsigned i = 0; i < 2; i++) {
        dev_pool *p = dev_object(k->c, both[i], DEV_POOL);
        if (p) pool_keep(k, p, p->threshold);
    }
}

cudaError_t dev_on_cudaMemPoolTrimTo(dev_call *k, const struct wire_in_cudaMemPoolTrimTo *in,
                                     struct wire_out_cudaMemPoolTrimTo *out) {
    (void)out;
    dev_pool *p = dev_object(k->c, in->memPool, DEV_POOL);
    if (!p) return cudaErrorInvalidValue;
    pool_keep(k, p, in->minBytesToKeep);
    return cudaSuccess;
}

cudaError_t dev_on_MemPoolSet(dev_call *k, const struct wire_in_MemPoolSet *in,
                              struct wire_out_MemPoolSet *out) {
    dev_pool *p = dev_object(k->c, in->pool, DEV_POOL);
    (void)out;
    if (!p) return cudaErrorInvalidValue;
    switch (in->attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        p->reuse[in->attr] = in->value != 0;
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: p->threshold = in->value; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (in->value) return cudaErrorInvalidValue; /* only resetting is allowed */
        if (in->attr == cudaMemPoolAttrReservedMemHigh) p->reserved_high = p->reserved;
        else p->high = p->used;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t dev_on_MemPoolGet(dev_call *k, const struct wire_in_MemPoolGet *in,
                              struct wire_out_MemPoolGet *out) {
    dev_pool *p = dev_object(k->c, in->pool, DEV_POOL);
    if (!p) return cudaErrorInvalidValue;
    switch (in->attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        out->value = (uint64_t)p->reuse[in->attr];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: out->value = p->threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent: out->value = p->reserved; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh: out->value = p->reserved_high; return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent: out->value = p->used; return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh: out->value = p->high; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t dev_on_MemPoolAccess(dev_call *k, const struct wire_in_MemPoolAccess *in,
                                 struct wire_out_MemPoolAccess *out) {
    dev_pool *p = dev_object(k->c, in->pool, DEV_POOL);
    (void)out;
    if (!p) return cudaErrorInvalidValue;
    unsigned device = (unsigned)in->device;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (in->flags != 0 && in->flags != 1 && in->flags != 3) return cudaErrorInvalidValue;
    if (device == p->device) /* its own device always has access */
        return in->flags == 3 ? cudaSuccess : cudaErrorInvalidValue;
    if (in->flags && !dev_linked(k->c->s, device, p->device)) return cudaErrorInvalidValue;
    if (in->flags) k->c->context[device].pool_peers |= 1u << p->device;
    return cudaSuccess;
}

cudaError_t dev_on_MallocAsync(dev_call *k, const struct wire_in_MallocAsync *in,
                               struct wire_out_MallocAsync *out) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, in->hStream);
    if (!s) return cudaErrorInvalidResourceHandle;
    dev_pool *p = in->pool ? dev_object(c, in->pool, DEV_POOL) : pool_default(c, s->device);
    if (!in->pool && p && c->memory.device[s->device].pool)
        p = dev_object(c, c->memory.device[s->device].pool, DEV_POOL);
    if (!p) return cudaErrorInvalidValue;
    if (!in->size) return cudaSuccess;
    cudaError_t e = dev_mem_allocate(
        c, p->device, in->size, s->capture ? DEV_MEM_GRAPH : DEV_MEM_POOL, p->handle, &out->devPtr);
    dev_spend(k, DEV_COST_POOL);
    if (e) return e;
    if (s->capture) {
        dev_work w = {.kind = DEV_WORK_ALLOC,
                      .device = p->device,
                      .bytes = sizeof w,
                      .alloc = {in->size, out->devPtr}};
        return dev_capture_work(k, s, &w);
    }
    p->used += in->size;
    if (p->used > p->high) p->high = p->used;
    pool_reserve(k, p);
    dev_record *r = dev_log_memory(k, DEV_OP_MALLOC, "cudaMallocAsync", out->devPtr, in->size, e);
    if (r) r->pooled = true;
    return e;
}

cudaError_t dev_on_FreeAsync(dev_call *k, const struct wire_in_FreeAsync *in,
                             struct wire_out_FreeAsync *out) {
    dev_stream *s = dev_stream_get(k, in->hStream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!in->devPtr) return cudaSuccess;
    dev_mem *m = dev_mem_find(k->c, in->devPtr);
    if (!m || m->base != in->devPtr ||
        (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL && m->kind != DEV_MEM_GRAPH))
        return cudaErrorInvalidValue;
    dev_spend(k, DEV_COST_POOL);
    dev_work w = {.kind = DEV_WORK_FREE,
                  .device = m->device,
                  .bytes = sizeof w,
                  .alloc = {m->bytes, m->base}};
    dev_record *r = s->capture ? NULL
                               : dev_log_memory(k, DEV_OP_FREE, "cudaFreeAsync", m->base, m->bytes,
                                                cudaSuccess);
    if (r) r->pooled = true;
    return dev_submit(k, s, &w);
}
