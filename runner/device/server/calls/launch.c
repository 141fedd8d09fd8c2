/* Calls that launch; occupancy. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"

#include <string.h>

/* ---- clusters: CUDA C++ Programming Guide, "Thread Block Clusters" */

/* Returns the largest cluster that this kernel may have, in blocks. */
static unsigned launch_cluster_most(const dev_kernel *k) {
    unsigned most = k->large_clusters ? DEV_CLUSTER_MAX : DEV_CLUSTER, own = k->info->max_cluster;
    return own && own < most ? own : most;
}

static bool launch_has_clusters(dev_client *c, const dev_kernel *k) {
    const dev_device *d = dev_hw(c, k->device);
    const sim_profile *p = c->s->device[k->device].profile;
    if (!p->clusters)
        dev_unsupported(
            c, w_server_no_clusters(k->info->pretty, p->marketing, p->cc_major, p->cc_minor));
    else if (d->backend != &dev_backend_sim)
        dev_unsupported(c, w_server_gpu_no_clusters(k->info->pretty));
    return p->clusters && d->backend == &dev_backend_sim;
}

static cudaError_t launch_check_cluster(dev_client *c, const dev_kernel *k, const unsigned grid[3],
                                        const unsigned asked[3]) {
    const unsigned *required = k->info->required_cluster;
    unsigned size[3], most = launch_cluster_most(k);
    dev_launch_cluster(k, asked, size);
    if (!size[0] && !size[1] && !size[2])
        return k->info->needs_cluster ? cudaErrorInvalidClusterSize : cudaSuccess;
    if (!size[0] || !size[1] || !size[2]) return cudaErrorInvalidValue;
    bool alone = size[0] == 1 && size[1] == 1 && size[2] == 1;
    if (alone && !c->s->device[k->device].profile->clusters) return cudaSuccess;
    if (!launch_has_clusters(c, k)) return cudaErrorNotSupported;
    if (size[0] > most || size[1] > most || (uint64_t)size[0] * size[1] * size[2] > most)
        return cudaErrorInvalidClusterSize;
    for (unsigned i = 0; i < 3; i++)
        if (grid[i] % size[i] || (required[0] && size[i] != required[i]))
            return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* Returns the bytes of shared memory that occupancy assumes for a kernel with a preference; 0: it
 * has none. */
static uint64_t launch_preferred(const sim_profile *p, const dev_kernel *k, uint64_t shared) {
    return k->info->carveout < 0 ? 0 : sim_profile_carveout(p, (unsigned)k->info->carveout, shared);
}

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
    if (l->has_carveout && l->carveout > 100) return cudaErrorInvalidValue;
    cudaError_t e = launch_check_cluster(c, k, l->grid, l->cluster);
    if (e) return e;
    if (l->cooperative) {
        sim_occupancy o;
        /* The kernel's preference counts as in cudaOccupancy...(): an H200 refuses nine blocks
         * without shared memory at 0%. The launch's own preference does not: the H200 accepts one
         * that leaves no room for a block, and the launch fails. */
        uint64_t shared = k->info->static_shared + l->shared;
        if (sim_occupancy_get(p, (unsigned)threads, k->info->registers, shared,
                              launch_preferred(p, k, shared), &o))
            return cudaErrorInvalidValue;
        if ((uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > (uint64_t)o.blocks * p->sms)
            return cudaErrorCooperativeLaunchTooLarge;
    }
    *out = k;
    return cudaSuccess;
}

int dev_launch_carveout(const dev_kernel *k, const wire_launch *l) {
    return l->has_carveout ? (int)l->carveout : k->info->carveout;
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
    if (e) return dev_launch_why(k, &l), e;
    dev_spend(k, DEV_COST_LAUNCH);
    union {
        dev_work w;
        uint8_t raw[sizeof(dev_work) + WIRE_PARAM_BYTES + 4];
    } u;
    u.w = (dev_work){.kind = DEV_WORK_LAUNCH,
                     .device = s->device,
                     .bytes = sizeof u.w + k->span_bytes[1],
                     .launch = {kernel, l, dev_launch_carveout(kernel, &l),
                                (uint32_t)c->context[s->device].limit[cudaLimitStackSize]}};
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
    shared += f->info->static_shared;
    return dev_error(sim_occupancy_get(p, (unsigned)threads, registers, shared,
                                       launch_preferred(p, f, shared), o));
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

/* The most dynamic shared memory with which `blocks` blocks fit. */
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

cudaError_t dev_on_OccupancyClusters(dev_call *k, const struct wire_in_OccupancyClusters *in,
                                     struct wire_out_OccupancyClusters *out) {
    const dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    wire_launch l;
    sim_occupancy o;
    unsigned size[3];
    if (!f) return cudaErrorInvalidDeviceFunction;
    if (k->span_bytes[0] != sizeof l) return cudaErrorInvalidValue;
    memcpy(&l, k->span[0], sizeof l);
    if (!launch_has_clusters(k->c, f)) return cudaErrorNotSupported;
    uint64_t threads = (uint64_t)l.block[0] * l.block[1] * l.block[2];
    if (!threads || threads > 1024) return cudaErrorInvalidValue;
    cudaError_t e = launch_occupancy(k, f, (int64_t)threads, l.shared, &o);
    if (e) return e;
    if (in->most) {
        out->answer = o.blocks ? launch_cluster_most(f) : 0;
        return cudaSuccess;
    }
    dev_launch_cluster(f, l.cluster, size);
    if (!size[0] || !size[1] || !size[2]) return cudaErrorInvalidValue;
    e = launch_check_cluster(k->c, f, size, size);
    if (!e)
        out->answer = sim_profile_clusters(k->c->s->device[f->device].profile, o.blocks,
                                           size[0] * size[1] * size[2]);
    return e;
}
