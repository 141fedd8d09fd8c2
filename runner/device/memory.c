/* Memory: device allocations, pools, and host memory that both sides map.
 *
 * The server makes host memory, so that a client cannot change its size under the device's hands,
 * and gives each block an address that no other client of the session has. */
#include "runner/device/server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t page = 4096;
static uint64_t page_up(uint64_t n) {
    return (n + page - 1) & ~(page - 1);
}

/* ---- device memory */

cudaError_t dev_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                         uint64_t pool, uint64_t *out) {
    sim_addr a;
    if (!n || n > (uint64_t)1 << 46) return n ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    sim_status s = HW(dev_hw(c, device), alloc, n, &a);
    if (s) return dev_error(s);
    dev_mem m = {.base = a, .bytes = n, .kind = kind, .device = device, .pool = pool};
    if (!dev_mem_add(c, &m)) {
        HW(dev_hw(c, device), release, a);
        return cudaErrorMemoryAllocation;
    }
    *out = a;
    return cudaSuccess;
}

cudaError_t dev_on_Malloc(dev_call *k, const struct wire_in_Malloc *in,
                          struct wire_out_Malloc *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (!e && in->size)
        e = dev_allocate(k->c, k->device, in->size, DEV_MEM_DEVICE, 0, &out->devPtr);
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_call(k, DEV_OP_MALLOC, in->size, e);
    return e;
}

cudaError_t dev_on_MallocPitch(dev_call *k, const struct wire_in_MallocPitch *in,
                               struct wire_out_MallocPitch *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    uint64_t pitch = (in->width + 511) & ~511ull, rows, n;
    if (in->width > (uint64_t)1 << 46 || __builtin_mul_overflow(in->height, in->depth, &rows) ||
        __builtin_mul_overflow(pitch, rows, &n))
        return cudaErrorMemoryAllocation;
    if (!e && n) e = dev_allocate(k->c, k->device, n, DEV_MEM_DEVICE, 0, &out->devPtr);
    out->pitch = pitch;
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_call(k, DEV_OP_MALLOC, n, e);
    return e;
}

static void release(dev_client *c, dev_mem *m) {
    uint64_t base = m->base;
    unsigned device = m->device;
    if (m->kind == DEV_MEM_POOL) {
        dev_pool *p = dev_object(c, m->pool, DEV_POOL);
        if (p) p->used -= m->bytes;
    }
    dev_mem_remove(c, base);
    HW(dev_hw(c, device), release, base);
    c->log.freed = true;
}

cudaError_t dev_on_Free(dev_call *k, const struct wire_in_Free *in, struct wire_out_Free *out) {
    dev_client *c = k->c;
    (void)out;
    if (!in->devPtr) return cudaSuccess;
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    dev_mem *m = dev_mem_find(c, in->devPtr);
    if (!e && (!m || m->base != in->devPtr ||
               (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL && m->kind != DEV_MEM_GRAPH)))
        e = cudaErrorInvalidValue;
    if (e) return e;
    /* cudaFree waits for the device, as it always has. */
    k->device = m->device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    uint64_t bytes = m->bytes;
    release(c, m);
    dev_spend(k, DEV_COST_FREE);
    dev_log_call(k, DEV_OP_FREE, bytes, cudaSuccess);
    return c->sticky[k->device];
}

/* ---- pools */

cudaError_t dev_on_cudaMemPoolCreate(dev_call *k, const struct wire_in_cudaMemPoolCreate *in,
                                     struct wire_out_cudaMemPoolCreate *out) {
    struct cudaMemPoolProps props;
    (void)in;
    if (k->span_bytes[0] != sizeof props) return cudaErrorInvalidValue;
    memcpy(&props, k->span[0], sizeof props);
    if (props.location.type != cudaMemLocationTypeDevice || props.location.id < 0 ||
        props.location.id >= (int)k->c->s->count)
        return cudaErrorInvalidValue;
    dev_pool *p = calloc(1, sizeof *p);
    if (!p || !(p->handle = dev_object_new(k->c, DEV_POOL, p))) {
        free(p);
        return cudaErrorMemoryAllocation;
    }
    p->device = (unsigned)props.location.id;
    p->reuse[1] = p->reuse[2] = p->reuse[3] = 1;
    out->memPool = p->handle;
    return cudaSuccess;
}

static dev_pool *default_pool(dev_client *c, unsigned device) {
    dev_pool *p = dev_object(c, c->default_pool[device], DEV_POOL);
    if (p) return p;
    p = calloc(1, sizeof *p);
    if (!p || !(p->handle = dev_object_new(c, DEV_POOL, p))) {
        free(p);
        return NULL;
    }
    p->device = device, p->is_default = true;
    p->reuse[1] = p->reuse[2] = p->reuse[3] = 1;
    c->default_pool[device] = p->handle;
    if (!c->pool[device]) c->pool[device] = p->handle;
    return p;
}

cudaError_t dev_on_cudaDeviceGetDefaultMemPool(dev_call *k,
                                               const struct wire_in_cudaDeviceGetDefaultMemPool *in,
                                               struct wire_out_cudaDeviceGetDefaultMemPool *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    dev_pool *p = default_pool(k->c, (unsigned)in->device);
    if (!p) return cudaErrorMemoryAllocation;
    out->memPool = p->handle;
    return cudaSuccess;
}
cudaError_t dev_on_cudaDeviceGetMemPool(dev_call *k, const struct wire_in_cudaDeviceGetMemPool *in,
                                        struct wire_out_cudaDeviceGetMemPool *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (!default_pool(k->c, (unsigned)in->device)) return cudaErrorMemoryAllocation;
    out->memPool = k->c->pool[in->device];
    return cudaSuccess;
}
cudaError_t dev_on_cudaDeviceSetMemPool(dev_call *k, const struct wire_in_cudaDeviceSetMemPool *in,
                                        struct wire_out_cudaDeviceSetMemPool *out) {
    (void)out;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    dev_pool *p = dev_object(k->c, in->memPool, DEV_POOL);
    if (!p || p->device != in->device) return cudaErrorInvalidValue;
    k->c->pool[in->device] = in->memPool;
    return cudaSuccess;
}
cudaError_t dev_on_cudaMemPoolDestroy(dev_call *k, const struct wire_in_cudaMemPoolDestroy *in,
                                      struct wire_out_cudaMemPoolDestroy *out) {
    dev_pool *p = dev_object(k->c, in->memPool, DEV_POOL);
    (void)out;
    if (!p || p->is_default) return cudaErrorInvalidValue;
    if (k->c->pool[p->device] == p->handle) k->c->pool[p->device] = k->c->default_pool[p->device];
    dev_object_drop(k->c, p->handle);
    free(p);
    return cudaSuccess;
}
cudaError_t dev_on_cudaMemPoolTrimTo(dev_call *k, const struct wire_in_cudaMemPoolTrimTo *in,
                                     struct wire_out_cudaMemPoolTrimTo *out) {
    (void)out;
    return dev_object(k->c, in->memPool, DEV_POOL) ? cudaSuccess : cudaErrorInvalidValue;
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
        if (in->value) return cudaErrorInvalidValue; /* only a reset is allowed */
        p->high = p->used;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}
cudaError_t dev_on_MemPoolGet(dev_call *k, const struct wire_in_MemPoolGet *in,
                              struct wire_out_MemPoolGet *out) {
    dev_pool *p = dev_object(k->c, in->pool, DEV_POOL);
    const uint64_t unit = 32 << 20; /* a driver reserves in such pieces */
    if (!p) return cudaErrorInvalidValue;
    switch (in->attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        out->value = (uint64_t)p->reuse[in->attr];
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: out->value = p->threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
        out->value = (p->used + unit - 1) / unit * unit;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        out->value = (p->high + unit - 1) / unit * unit;
        return cudaSuccess;
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
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    return in->flags == 0 || in->flags == 1 || in->flags == 3 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t dev_on_MallocAsync(dev_call *k, const struct wire_in_MallocAsync *in,
                               struct wire_out_MallocAsync *out) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, in->hStream);
    if (!s) return cudaErrorInvalidResourceHandle;
    dev_pool *p = in->pool ? dev_object(c, in->pool, DEV_POOL) : default_pool(c, s->device);
    if (!in->pool && p && c->pool[s->device]) p = dev_object(c, c->pool[s->device], DEV_POOL);
    if (!p) return cudaErrorInvalidValue;
    if (!in->size) return cudaSuccess;
    cudaError_t e = dev_allocate(c, p->device, in->size, s->capture ? DEV_MEM_GRAPH : DEV_MEM_POOL,
                                 p->handle, &out->devPtr);
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
    dev_log_call(k, DEV_OP_MALLOC, in->size, e);
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
    if (!s->capture) dev_log_call(k, DEV_OP_FREE, m->bytes, cudaSuccess);
    return dev_submit(k, s, &w);
}

/* ---- host memory */

uint64_t dev_host_address(dev_client *c, uint64_t bytes) {
    /* A gap of a page, so that running off the end faults; never used again, so that an old pointer
     * stays dead. */
    uint64_t need = page_up(bytes) + page, at = c->s->host_next;
    if (need < bytes || need > DEV_HOST_HIGH - at) return 0;
    c->s->host_next += need;
    return at;
}

bool dev_host_room(const dev_client *c, uint64_t bytes) {
    uint64_t limit = c->s->opt.sim.memory_limit;
    return bytes <= DEV_HOST_BYTES && c->host_bytes <= DEV_HOST_BYTES - bytes &&
           (!limit || c->host_bytes + bytes <= limit);
}

static void unmap_everywhere(dev_client *c, uint64_t base) {
    for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, base);
}

static cudaError_t map_everywhere(dev_client *c, const dev_mem *m) {
    for (unsigned d = 0; d < c->s->count; d++) {
        sim_status s = HW(dev_hw(c, d), map, (uint8_t *)m->host + m->map_skip, m->bytes, m->base,
                          m->kind != DEV_MEM_MANAGED, m->fd, m->map_bytes, m->map_skip);
        if (s) {
            while (d--) HW(dev_hw(c, d), unmap, m->base);
            if (s == SIM_UNSUPPORTED)
                dev_unsupported(
                    c, "page-locked memory: the GPU cannot see it at the program's address");
            return s == SIM_UNSUPPORTED ? cudaErrorNotSupported : cudaErrorMemoryAllocation;
        }
    }
    return cudaSuccess;
}

static void host_drop(dev_client *c, dev_mem *m) {
    if (m->mapped) unmap_everywhere(c, m->base);
    if (m->fd) close(m->fd);
    munmap(m->host, m->map_bytes);
    c->host_bytes -= m->map_bytes;
    dev_mem_remove(c, m->base);
    c->log.freed = true;
}

/* Makes a block of `map` bytes; the client has to map the descriptor in k->fd and say HostReady. */
static cudaError_t host_make(dev_call *k, dev_mem *m, uint64_t map) {
    dev_client *c = k->c;
    if (map < m->bytes || !dev_host_room(c, map)) return cudaErrorMemoryAllocation;
    int fd = dev_shared("warplab-host", map, &m->host);
    if (fd < 0) return cudaErrorMemoryAllocation;
    m->map_bytes = map;
    m->on_host = true;
    m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 1); /* for the devices, until they have mapped it */
    if (m->fd < 0) m->fd = 0;
    if (!dev_mem_add(c, m)) {
        munmap(m->host, map);
        close(fd);
        if (m->fd) close(m->fd);
        return cudaErrorMemoryAllocation;
    }
    c->host_bytes += map;
    k->fd = fd;
    return cudaSuccess;
}

cudaError_t dev_on_HostAlloc(dev_call *k, const struct wire_in_HostAlloc *in,
                             struct wire_out_HostAlloc *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    if (!in->size || in->size > DEV_HOST_BYTES)
        return in->size ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    dev_mem m = {.base = dev_host_address(k->c, in->size),
                 .bytes = in->size,
                 .kind = in->managed ? DEV_MEM_MANAGED : DEV_MEM_HOST,
                 .device = k->device,
                 .flags = (unsigned)in->flags,
                 .preferred_id = -2,
                 .prefetch_id = -2};
    if (!m.base) return cudaErrorMemoryAllocation;
    e = host_make(k, &m, page_up(in->size));
    out->address = m.base, out->bytes = in->size;
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_call(k, DEV_OP_MALLOC, in->size, e);
    return e;
}

cudaError_t dev_on_HostRegister(dev_call *k, const struct wire_in_HostRegister *in,
                                struct wire_out_HostRegister *out) {
    (void)out;
    uint64_t skip = in->address - in->pages, end;
    if (in->pages % page || in->size % page || skip >= page || !in->bytes ||
        __builtin_add_overflow(skip, in->bytes, &end) || end > in->size)
        return cudaErrorInvalidValue;
    if (in->address + in->bytes < in->address ||
        (in->address + in->bytes > DEV_ADDRESS_LOW && in->address < DEV_ADDRESS_HIGH) ||
        (in->address + in->bytes > DEV_HOST_LOW && in->address < DEV_HOST_HIGH))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < k->c->mem_count; i++) {
        const dev_mem *m = &k->c->mem[i];
        if (in->address < m->base + m->bytes && m->base < in->address + in->bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    }
    dev_mem m = {.base = in->address,
                 .bytes = in->bytes,
                 .kind = DEV_MEM_REGISTERED,
                 .device = k->device,
                 .flags = (unsigned)in->flags,
                 .map_skip = skip};
    dev_spend(k, DEV_COST_MALLOC);
    return host_make(k, &m, in->size);
}

cudaError_t dev_on_HostReady(dev_call *k, const struct wire_in_HostReady *in,
                             struct wire_out_HostReady *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address) return cudaErrorInvalidValue;
    if (!m->host || m->mapped) return cudaSuccess; /* a lab's own buffer */
    cudaError_t e = in->mapped ? map_everywhere(k->c, m) : cudaErrorMemoryAllocation;
    if (e) {
        host_drop(k->c, m);
        return e;
    }
    m->mapped = true;
    if (m->fd) close(m->fd);
    m->fd = 0;
    return e;
}

cudaError_t dev_on_HostFree(dev_call *k, const struct wire_in_HostFree *in,
                            struct wire_out_HostFree *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address || (m->kind != DEV_MEM_HOST && m->kind != DEV_MEM_MANAGED))
        return cudaErrorInvalidValue;
    if (dev_wait(k, NULL)) return cudaSuccess;
    uint64_t bytes = m->bytes;
    host_drop(k->c, m);
    dev_spend(k, DEV_COST_FREE);
    dev_log_call(k, DEV_OP_FREE, bytes, cudaSuccess);
    return k->c->sticky[k->device];
}

cudaError_t dev_on_HostUnregister(dev_call *k, const struct wire_in_HostUnregister *in,
                                  struct wire_out_HostUnregister *out) {
    dev_mem *m = dev_mem_find(k->c, in->address);
    (void)out;
    if (!m || m->base != in->address || m->kind != DEV_MEM_REGISTERED)
        return cudaErrorHostMemoryNotRegistered;
    if (dev_wait(k, NULL)) return cudaSuccess;
    host_drop(k->c, m);
    dev_spend(k, DEV_COST_FREE);
    return k->c->sticky[k->device];
}

/* ---- questions and advice */

static bool is_managed(const dev_mem *m) {
    return m->kind == DEV_MEM_MANAGED || m->kind == DEV_MEM_VARIABLE;
}

cudaError_t dev_on_cudaMemGetInfo(dev_call *k, const struct wire_in_cudaMemGetInfo *in,
                                  struct wire_out_cudaMemGetInfo *out) {
    (void)in;
    HW(dev_hw(k->c, k->device), info, &out->free, &out->total);
    return cudaSuccess;
}

cudaError_t dev_on_cudaPointerGetAttributes(dev_call *k,
                                            const struct wire_in_cudaPointerGetAttributes *in,
                                            struct wire_out_cudaPointerGetAttributes *out) {
    struct cudaPointerAttributes a = {.type = cudaMemoryTypeUnregistered,
                                      .device = -2}; /* -2: cudaInvalidDeviceId */
    void *p = (void *)(uintptr_t)in->ptr;
    const dev_mem *m = in->ptr ? dev_mem_find(k->c, in->ptr) : NULL;
    (void)out;
    if (!m) {
        a.hostPointer = p;
    } else {
        bool host = dev_mem_on_host(m);
        a.type = is_managed(m) ? cudaMemoryTypeManaged
                 : host        ? cudaMemoryTypeHost
                               : cudaMemoryTypeDevice;
        a.device = (int)m->device;
        a.devicePointer = p;
        if (host) a.hostPointer = p;
    }
    return dev_answer(k, &a, sizeof a);
}

static dev_mem *managed(dev_client *c, uint64_t a, uint64_t n) {
    dev_mem *m = dev_mem_range(c, a, n);
    return m && is_managed(m) ? m : NULL;
}
static bool place_ok(dev_client *c, int type, int id) {
    return type == cudaMemLocationTypeDevice ? id >= 0 && id < (int)c->s->count
                                             : type >= cudaMemLocationTypeHost && type <= 4;
}

cudaError_t dev_on_MemAdvise(dev_call *k, const struct wire_in_MemAdvise *in,
                             struct wire_out_MemAdvise *out) {
    dev_mem *m = managed(k->c, in->address, in->count);
    (void)out;
    if (!m || !in->count || in->advice < 1 || in->advice > 6) return cudaErrorInvalidValue;
    bool needs_place = in->advice == 3 || in->advice >= 5; /* preferred location, accessed by */
    if (needs_place && !place_ok(k->c, (int)in->where, (int)in->id)) return cudaErrorInvalidDevice;
    int bit = 1 << ((in->advice - 1) / 2);
    if (in->advice % 2) m->advice |= bit;
    else m->advice &= ~bit;
    if (in->advice == 3)
        m->preferred_type = (int)in->where,
        m->preferred_id = in->where == cudaMemLocationTypeDevice ? (int)in->id : -1;
    if (in->advice == 4) m->preferred_type = 0, m->preferred_id = -2;
    return cudaSuccess;
}

cudaError_t dev_on_MemPrefetch(dev_call *k, const struct wire_in_MemPrefetch *in,
                               struct wire_out_MemPrefetch *out) {
    dev_mem *m = managed(k->c, in->address, in->count);
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!m || !in->count) return cudaErrorInvalidValue;
    if (!place_ok(k->c, (int)in->where, (int)in->id)) return cudaErrorInvalidDevice;
    bool to_device = in->where == cudaMemLocationTypeDevice;
    m->prefetch_type = (int)in->where, m->prefetch_id = to_device ? (int)in->id : -1;
    dev_spend(k, DEV_COST_ASYNC);
    double start, end;
    dev_place_copy(k->c, s->device, to_device ? DEV_DIR_H2D : DEV_DIR_D2H, false, true, in->count,
                   0, dev_stream_after(k->c, s, *dev_clock(k->c, k->thread)), &start, &end);
    s->ready = end;
    return cudaSuccess;
}

cudaError_t dev_on_MemRange(dev_call *k, const struct wire_in_MemRange *in,
                            struct wire_out_MemRange *out) {
    const dev_mem *m = managed(k->c, in->address, in->count);
    int v;
    if (!m || !in->count) return cudaErrorInvalidValue;
    switch (in->attribute) {
    case cudaMemRangeAttributeReadMostly: v = m->advice & 1; break;
    case cudaMemRangeAttributePreferredLocation: v = m->preferred_id; break;
    case cudaMemRangeAttributeAccessedBy: v = m->advice & 4 ? 0 : -2; break;
    case cudaMemRangeAttributeLastPrefetchLocation: v = m->prefetch_id; break;
    case cudaMemRangeAttributePreferredLocationType: v = m->preferred_type; break;
    case cudaMemRangeAttributePreferredLocationId: v = m->preferred_id; break;
    case cudaMemRangeAttributeLastPrefetchLocationType: v = m->prefetch_type; break;
    case cudaMemRangeAttributeLastPrefetchLocationId: v = m->prefetch_id; break;
    default: return cudaErrorInvalidValue;
    }
    out->value = (uint64_t)(int64_t)v;
    return cudaSuccess;
}

cudaError_t dev_on_cudaStreamAttachMemAsync(dev_call *k,
                                            const struct wire_in_cudaStreamAttachMemAsync *in,
                                            struct wire_out_cudaStreamAttachMemAsync *out) {
    (void)out;
    if (!dev_stream_get(k, in->stream)) return cudaErrorInvalidResourceHandle;
    return managed(k->c, in->devPtr, in->length ? in->length : 1) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

/* ---- reset: everything the client has on the device goes */

cudaError_t dev_on_DeviceReset(dev_call *k, const struct wire_in_DeviceReset *in,
                               struct wire_out_DeviceReset *out) {
    dev_client *c = k->c;
    (void)in, (void)out;
    if (dev_wait(k, NULL)) return cudaSuccess;
    for (size_t i = 0; i < c->mem_count;) {
        dev_mem *m = &c->mem[i];
        if (m->host && c->s->count == 1) host_drop(c, m);
        else if (!m->host && m->kind <= DEV_MEM_ARRAY && m->device == k->device) release(c, m);
        else i++;
    }
    dev_modules_reset(c, k->device);
    /* A context that a kernel broke does not come back: the process has to end. */
    if (c->fault[k->device])
        c->fault[k->device] = c->sticky[k->device] = cudaErrorDevicesUnavailable;
    return cudaSuccess;
}
