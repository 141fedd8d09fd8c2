/* Launches as calls; occupancy. */
#include "runner/device/core/code.h"
#include "runner/device/core/answer.h"
#include "runner/device/core/object.h"
#include "runner/device/core/stream.h"
#include "runner/sim/load/resources.h"
#include "runner/sim/profile.h"

#include <string.h>

cudaError_t dev_launch_check(dev_client *c, unsigned device, const wire_launch *l,
                             size_t param_bytes, dev_kernel **out) {
    dev_kernel *k = dev_object(c, l->kernel, DEV_KERNEL);
    const sim_profile *p = c->s->device[device].profile;
    if (!k || k->device != device) return cudaErrorInvalidResourceHandle;
    if (param_bytes != k->info->param_bytes || l->param_bytes != param_bytes)
        return cudaErrorInvalidValue;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > 0x7fffffff ||
        l->grid[1] > 65535 || l->grid[2] > 65535 || !threads ||
        l->block[0] > p->max_threads_block || l->block[1] > p->max_threads_block ||
        l->block[2] > 64 || threads > p->max_threads_block)
        return cudaErrorInvalidValue;
    if (k->info->max_threads && threads > k->info->max_threads) return cudaErrorInvalidValue;
    if (threads > k->max_threads) return cudaErrorLaunchOutOfResources;
    if (l->shared > k->info->max_dynamic_shared) return cudaErrorInvalidValue;
    if (l->cluster[0] && (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2] != 1) {
        dev_unsupported(c, "%s: thread block clusters are not supported", k->info->pretty);
        return cudaErrorNotSupported;
    }
    if (l->cooperative) {
        sim_occupancy o;
        if (sim_occupancy_get(p, (unsigned)threads, k->info->registers,
                              k->info->static_shared + l->shared, &o))
            return cudaErrorInvalidValue;
        if ((uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > (uint64_t)o.blocks * p->sms)
            return cudaErrorCooperativeLaunchTooLarge;
    }
    *out = k;
    return cudaSuccess;
}

cudaError_t dev_on_Launch(dev_call *k, const struct wire_in_Launch *in,
                          struct wire_out_Launch *out) {
    dev_client *c = k->c;
    dev_stream *s = dev_stream_get(k, in->stream);
    wire_launch l;
    dev_kernel *kernel;
    (void)out;
    if (!s) return cudaErrorInvalidResourceHandle;
    if (k->span_bytes[0] != sizeof l || k->span_bytes[1] > WIRE_PARAM_BYTES)
        return cudaErrorInvalidValue;
    memcpy(&l, k->span[0], sizeof l);
    cudaError_t e = dev_launch_check(c, s->device, &l, k->span_bytes[1], &kernel);
    if (e) return e;
    dev_spend(k, DEV_COST_LAUNCH);
    union {
        dev_work w;
        uint8_t raw[sizeof(dev_work) + WIRE_PARAM_BYTES + 4];
    } u;
    u.w = (dev_work){.kind = DEV_WORK_LAUNCH,
                     .device = s->device,
                     .bytes = sizeof u.w + k->span_bytes[1],
                     .launch = {kernel, l}};
    memcpy(u.raw + sizeof u.w, k->span[1], k->span_bytes[1]);
    return dev_submit(k, s, &u.w);
}

cudaError_t dev_on_LaunchWait(dev_call *k, const struct wire_in_LaunchWait *in,
                              struct wire_out_LaunchWait *out) {
    const struct wire_in_Launch same = {.stream = in->stream};
    (void)out;
    return dev_on_Launch(k, &same, NULL);
}

static cudaError_t launch_occupancy(const dev_call *k, const dev_kernel *f, int64_t threads,
                                    uint64_t shared, sim_occupancy *o) {
    const sim_profile *p = k->c->s->device[f->device].profile;
    memset(o, 0, sizeof *o);
    if (threads <= 0) return cudaErrorInvalidValue;
    if (threads > f->max_threads || shared > f->info->max_dynamic_shared)
        return cudaSuccess; /* no block fits */
    unsigned registers = sim_resources_registers(p, f->info->registers, (unsigned)threads);
    return dev_error(
        sim_occupancy_get(p, (unsigned)threads, registers, f->info->static_shared + shared, o));
}

cudaError_t dev_on_Occupancy(dev_call *k, const struct wire_in_Occupancy *in,
                             struct wire_out_Occupancy *out) {
    const dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    sim_occupancy o;
    if (!f) return cudaErrorInvalidDeviceFunction;
    if (in->flags > 1) return cudaErrorInvalidValue;
    cudaError_t e = launch_occupancy(k, f, (int)in->threads, in->shared, &o);
    out->blocks = o.blocks;
    return e;
}

/* The most dynamic shared memory with which `blocks` blocks still fit. */
cudaError_t dev_on_OccupancyShared(dev_call *k, const struct wire_in_OccupancyShared *in,
                                   struct wire_out_OccupancyShared *out) {
    const dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    sim_occupancy o;
    if (!f) return cudaErrorInvalidDeviceFunction;
    int blocks = (int)in->blocks;
    cudaError_t e = launch_occupancy(k, f, (int)in->threads, 0, &o);
    if (e || blocks <= 0 || (unsigned)blocks > o.blocks) return e ? e : cudaErrorInvalidValue;
    uint64_t lo = 0, hi = f->info->max_dynamic_shared;
    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2;
        if (!launch_occupancy(k, f, (int)in->threads, mid, &o) && o.blocks >= (unsigned)blocks)
            lo = mid;
        else hi = mid - 1;
    }
    out->bytes = lo;
    return cudaSuccess;
}
