/* Questions about memory, and advice. */
#include "runner/device/core/answer.h"
#include "runner/device/core/memory.h"
#include "runner/device/core/stream.h"

static bool advice_managed(const dev_mem *m) {
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
    struct cudaPointerAttributes a = {.type = cudaMemoryTypeUnregistered, .device = DEV_NOWHERE};
    void *p = (void *)(uintptr_t)in->ptr;
    const dev_mem *m = in->ptr ? dev_mem_find(k->c, in->ptr) : NULL;
    (void)out;
    if (!m) {
        a.hostPointer = p;
    } else {
        bool host = m->on_host;
        a.type = advice_managed(m) ? cudaMemoryTypeManaged
                 : host            ? cudaMemoryTypeHost
                                   : cudaMemoryTypeDevice;
        a.device = (int)m->device;
        a.devicePointer = p;
        if (host) a.hostPointer = p;
    }
    return dev_answer(k, &a, sizeof a);
}

static dev_mem *advice_range(dev_client *c, uint64_t a, uint64_t n) {
    dev_mem *m = dev_mem_range(c, a, n);
    return m && advice_managed(m) ? m : NULL;
}

static bool advice_place_ok(dev_client *c, int type, int id) {
    return type == cudaMemLocationTypeDevice ? id >= 0 && id < (int)c->s->count
                                             : type >= cudaMemLocationTypeHost && type <= 4;
}

cudaError_t dev_on_MemAdvise(dev_call *k, const struct wire_in_MemAdvise *in,
                             struct wire_out_MemAdvise *out) {
    dev_mem *m = advice_range(k->c, in->address, in->count);
    (void)out;
    if (!m || !in->count || in->advice < 1 || in->advice > 6) return cudaErrorInvalidValue;
    bool needs_place = in->advice == 3 || in->advice >= 5; /* preferred location, accessed by */
    if (needs_place && !advice_place_ok(k->c, (int)in->where, (int)in->id))
        return cudaErrorInvalidDevice;
    int bit = 1 << ((in->advice - 1) / 2);
    if (in->advice % 2) m->advice |= bit;
    else m->advice &= ~bit;
    if (in->advice == 3)
        m->preferred_type = (int)in->where,
        m->preferred_id = in->where == cudaMemLocationTypeDevice ? (int)in->id : -1;
    if (in->advice == 4) m->preferred_type = 0, m->preferred_id = DEV_NOWHERE;
    return cudaSuccess;
}

cudaError_t dev_on_MemPrefetch(dev_call *k, const struct wire_in_MemPrefetch *in,
                               struct wire_out_MemPrefetch *out) {
    dev_mem *m = advice_range(k->c, in->address, in->count);
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!m || !in->count) return cudaErrorInvalidValue;
    if (!advice_place_ok(k->c, (int)in->where, (int)in->id)) return cudaErrorInvalidDevice;
    bool to_device = in->where == cudaMemLocationTypeDevice;
    m->prefetch_type = (int)in->where, m->prefetch_id = to_device ? (int)in->id : -1;
    dev_spend(k, DEV_COST_ASYNC);
    double start, end;
    dev_move move = {
        .direction = to_device ? DEV_DIR_H2D : DEV_DIR_D2H, .async = true, .bytes = in->count};
    dev_place_copy(k->c, s->device, &move, dev_stream_after(k->c, s, *dev_clock(k->c, k->thread)),
                   &start, &end);
    s->ready = end;
    return cudaSuccess;
}

cudaError_t dev_on_MemRange(dev_call *k, const struct wire_in_MemRange *in,
                            struct wire_out_MemRange *out) {
    const dev_mem *m = advice_range(k->c, in->address, in->count);
    int v;
    if (!m || !in->count) return cudaErrorInvalidValue;
    switch (in->attribute) {
    case cudaMemRangeAttributeReadMostly: v = m->advice & 1; break;
    case cudaMemRangeAttributePreferredLocation: v = m->preferred_id; break;
    case cudaMemRangeAttributeAccessedBy: v = m->advice & 4 ? 0 : DEV_NOWHERE; break;
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
    return advice_range(k->c, in->devPtr, in->length ? in->length : 1) ? cudaSuccess
                                                                       : cudaErrorInvalidValue;
}
