/* Launches as calls; functions' attributes; occupancy. */
#include "runner/device/server.h"
#include "runner/sim/profile.h"
#include "runner/sim/load/resources.h"

#include <stdlib.h>
#include <string.h>

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

cudaError_t dev_on_FuncGetAttributes(dev_call *k, const struct wire_in_FuncGetAttributes *in,
                                     struct wire_out_FuncGetAttributes *out) {
    const dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    (void)out;
    if (!f) return cudaErrorInvalidDeviceFunction;
    const sim_profile *p = k->c->s->device[f->device].profile;
    struct cudaFuncAttributes a = {.sharedSizeBytes = f->info->static_shared,
                                   .constSizeBytes = f->info->const_bytes,
                                   .localSizeBytes = f->info->local_bytes,
                                   .maxThreadsPerBlock = (int)f->max_threads,
                                   .numRegs = (int)f->info->registers,
                                   .ptxVersion = (int)(p->cc_major * 10 + p->cc_minor),
                                   .binaryVersion = (int)(p->cc_major * 10 + p->cc_minor),
                                   .maxDynamicSharedSizeBytes = (int)f->info->max_dynamic_shared,
                                   .preferredShmemCarveout = f->carveout};
    return dev_answer(k, &a, sizeof a);
}

cudaError_t dev_on_FuncSetAttribute(dev_call *k, const struct wire_in_FuncSetAttribute *in,
                                    struct wire_out_FuncSetAttribute *out) {
    dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    if (!f) return cudaErrorInvalidDeviceFunction;
    int value = (int)in->value;
    cudaError_t e = cudaSuccess;
    switch (in->attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        e = value < 0
                ? cudaErrorInvalidValue
                : dev_error(HW(dev_hw(k->c, f->device), kernel_shared, f->kernel, (uint64_t)value));
        break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        f->carveout = value; /* a hint: the model picks the carve-out that the blocks need */
        break;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value > 1) {
            dev_unsupported(k->c, "%s: thread block clusters are not supported", f->info->pretty);
            return cudaErrorNotSupported;
        }
        break;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference: break;
    default: return cudaErrorInvalidValue;
    }
    out->max_dynamic = f->info->max_dynamic_shared;
    return e;
}

static cudaError_t occupancy(const dev_call *k, const dev_kernel *f, int64_t threads,
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
    cudaError_t e = occupancy(k, f, (int)in->threads, in->shared, &o);
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
    cudaError_t e = occupancy(k, f, (int)in->threads, 0, &o);
    if (e || blocks <= 0 || (unsigned)blocks > o.blocks) return e ? e : cudaErrorInvalidValue;
    uint64_t lo = 0, hi = f->info->max_dynamic_shared;
    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2;
        if (!occupancy(k, f, (int)in->threads, mid, &o) && o.blocks >= (unsigned)blocks) lo = mid;
        else hi = mid - 1;
    }
    out->bytes = lo;
    return cudaSuccess;
}
