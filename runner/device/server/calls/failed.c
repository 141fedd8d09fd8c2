/* Says why a launch does not fit, and handles the library's reports of calls that failed.
 *
 *   in    wire_launch: of a launch that the library or dev_launch_check() refuses
 *   out   a sentence in both languages: what was asked, and what this device or kernel allows */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"

#include <stdio.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

static bool why_grid(dev_call *k, const char *device, const unsigned n[3]) {
    static const uint32_t most[3] = {0x7fffffff, 65535, 65535};
    for (unsigned i = 0; i < 3; i++) {
        if (n[i] && n[i] <= most[i]) continue;
        if (!n[i]) BECAUSE(k, w_server_grid_is_0(axes[i], device));
        else BECAUSE(k, w_server_grid_too_large(axes[i], n[i], device, most[i]));
        return true;
    }
    return false;
}

static bool why_block(dev_call *k, const char *device, const unsigned n[3], unsigned threads) {
    const uint32_t most[3] = {threads, threads, 64};
    for (unsigned i = 0; i < 3; i++) {
        if (n[i]) continue;
        BECAUSE(k, w_server_block_is_0(axes[i], device));
        return true;
    }
    uint64_t all = (uint64_t)n[0] * n[1] * n[2];
    if (all > threads) {
        BECAUSE(k, w_server_too_many_threads((unsigned long long)all, device, threads));
        return true;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (n[i] <= most[i]) continue;
        BECAUSE(k, w_server_block_too_large(axes[i], n[i], device, most[i]));
        return true;
    }
    return false;
}

/* The limits of the kernel itself. */
static bool why_kernel(dev_call *k, const char *device, const dev_kernel *f, const wire_launch *l) {
    const sim_kernel_info *i = f->info;
    const sim_profile *p = k->c->s->device[f->device].profile;
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    if (i->max_threads && threads > i->max_threads)
        BECAUSE(k, w_server_beyond_launch_bounds(threads, i->max_threads));
    else if (threads > f->max_threads)
        BECAUSE(k, w_server_too_many_registers(threads, i->registers, device, f->max_threads));
    else if (i->required_block[0] && memcmp(i->required_block, l->block, sizeof l->block))
        BECAUSE(k,
                w_server_block_required(l->block[0], l->block[1], l->block[2], i->required_block[0],
                                        i->required_block[1], i->required_block[2]));
    else if (l->shared > i->max_dynamic_shared &&
             i->static_shared + l->shared <= p->shared_block_optin)
        BECAUSE(k, w_server_dynamic_shared((unsigned long long)l->shared, device,
                                           i->max_dynamic_shared));
    else if (l->shared > i->max_dynamic_shared)
        BECAUSE(k, w_server_shared_of_block((unsigned long long)l->shared,
                                            (unsigned long long)i->static_shared, device,
                                            (unsigned long long)p->shared_block_optin));
    else return false;
    return true;
}

void dev_launch_why(dev_call *k, const wire_launch *l) {
    const dev_kernel *f = dev_object(k->c, l->kernel, DEV_KERNEL);
    if (!f) return;
    const dev_device *d = dev_hw(k->c, f->device);
    k->kernel = f->info->pretty;
    if (!why_grid(k, d->name, l->grid) &&
        !why_block(k, d->name, l->block, d->profile->max_threads_block))
        why_kernel(k, d->name, f, l);
}

cudaError_t dev_on_CallFailed(dev_call *k, const struct wire_in_CallFailed *in,
                              struct wire_out_CallFailed *out) {
    dev_log_state *g = &k->c->log;
    char name[64];
    wire_launch l;
    (void)out;
    size_t n = k->span_bytes[0] < sizeof name ? k->span_bytes[0] : sizeof name - 1;
    memcpy(name, k->span[0], n);
    name[n] = 0;
    if (k->span_bytes[1] == sizeof l) {
        memcpy(&l, k->span[1], sizeof l);
        dev_launch_why(k, &l);
    } else if (g->why.there && g->why.thread == k->thread && g->why.error == (int)in->error) {
        k->why = g->why.text, k->kernel = g->why.kernel;
    }
    g->why.there = false;
    enum { CALLERS = 16 };
    uint64_t callers[CALLERS];
    size_t bytes = k->span_bytes[2] < sizeof callers ? k->span_bytes[2] : sizeof callers;
    memcpy(callers, k->span[2], bytes);
    dev_log_failed(k, *name ? name : "CUDA", (cudaError_t)in->error, callers,
                   bytes / sizeof *callers);
    return cudaSuccess;
}
