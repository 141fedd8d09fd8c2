/* Queries about memory, and advice. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/core/residency.h"
#include "runner/device/server/core/stream.h"

static bool advice_managed(const dev_mem *m) {
    return m->kind == DEV_MEM_MANAGED || m->kind == DEV_MEM_VARIABLE;
}

cudaError_t dev_on_cudaMemGetInfo(dev_call *k, const struct wire_in_cudaMemGetInfo *in,
                                  struct wire_out_cudaMemGetInfo *out) {
    (void)in;
    uint64_t limit = k->c->s->opt.device_memory, used = k->c->memory.device[k->device].bytes;
    HW(dev_hw(k->c, k->device), info, &out->free, &out->total);
    if (limit) out->total = limit, out->free = limit > used ? limit - used : 0;
    /* Reports what the client could get, minus the cost of an allocation besides its bytes. */
    uint64_t room = dev_hold_room(k->c), cost = dev_hold_device(k->c, k->device, 0);
    if (dev_hw(k->c, k->device)->backend == &dev_backend_sim && room < out->free + cost)
        out->free = room > cost ? room - cost : 0;
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
    if (!m || !in->count || in->advice < cudaMemAdviseSetReadMostly ||
        in->advice > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    bool needs_place =
        in->advice == cudaMemAdviseSetPreferredLocation || in->advice >= cudaMemAdviseSetAccessedBy;
    if (needs_place && !advice_place_ok(k->c, (int)in->where, (int)in->id))
        return cudaErrorInvalidDevice;
    dev_pages_advise(m, in->address, in->count, (int)in->advice,
                     in->where == cudaMemLocationTypeDevice ? (int)in->id : -1, (int)in->where);
    return cudaSuccess;
}

cudaError_t dev_on_MemPrefetch(dev_call *k, const struct wire_in_MemPrefetch *in,
                               struct wire_out_MemPrefetch *out) {
    dev_client *c = k->c;
    dev_mem *m = advice_range(c, in->address, in->count);
    dev_stream *s = dev_stream_get(k, in->stream);
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!m || !in->count) return cudaErrorInvalidValue;
    if (!advice_place_ok(c, (int)in->where, (int)in->id)) return cudaErrorInvalidDevice;
    bool to_device = in->where == cudaMemLocationTypeDevice;
    dev_moved moved = {0};
    dev_pages_prefetch(c, m, in->address, in->count, to_device ? (int)in->id : -1, (int)in->where,
                       &moved);
    dev_spend(k, DEV_COST_ASYNC);
    double start, end, after = dev_stream_after(c, s, *dev_clock(c, k->thread));
    dev_move move = {.direction = to_device ? DEV_DIR_H2D : DEV_DIR_D2H,
                     .async = true,
                     .bytes = moved.in + moved.out,
                     .measured = dev_moved_us(dev_hw(c, s->device)->profile, &moved)};
    if (!move.bytes) return cudaSuccess; /* all of it is there already */
    dev_place_copy(c, s->device, &move, after, &start, &end);
    s->ready = end;
    dev_lineage_moved(c, m->base, move.bytes);
    dev_record *r = dev_log(c, to_device ? DEV_OP_PAGES_IN : DEV_OP_PAGES_OUT, s->device, s, start,
                            end, move.bytes, SIM_OK);
    if (r) r->migrated_bytes = move.bytes;
    return cudaSuccess;
}

cudaError_t dev_on_MemRange(dev_call *k, const struct wire_in_MemRange *in,
                            struct wire_out_MemRange *out) {
    const dev_mem *m = advice_range(k->c, in->address, in->count);
    int list[DEV_MAX + 1];
    if (!m || !in->count || in->attribute < cudaMemRangeAttributeReadMostly ||
        in->attribute > cudaMemRangeAttributeLastPrefetchLocationId)
        return cudaErrorInvalidValue;
    if (in->attribute == cudaMemRangeAttributeAccessedBy)
        return dev_answer(k, list,
                          dev_pages_accessed_by(m, in->address, in->count, list) * sizeof *list);
    int v = dev_pages_ask(m, in->address, in->count, (int)in->attribute);
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
