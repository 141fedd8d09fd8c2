/* The client's object for a kernel of the device: a launch names it, the log describes it. */
#include "runner/device/server/core/client.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/object.h"
#include "runner/device/sim/profile.h"

#include <stdlib.h>

/* Returns the most threads of a block that its registers allow: warps that fit into one
 * multiprocessor's register file. */
static unsigned kernel_threads(const sim_profile *p, const sim_kernel_info *i) {
    unsigned most = i->max_threads && i->max_threads < p->max_threads_block ? i->max_threads
                                                                            : p->max_threads_block;
    /* On such devices, the number of registers is reduced until a block fits
     * (sim_resources_registers). */
    if (!i->registers || !p->register_unit || p->registers_by_block) return most;
    unsigned warp =
        (i->registers * 32 + p->register_unit - 1) / p->register_unit * p->register_unit;
    unsigned warps = p->registers_sm / warp;
    if (p->warp_unit > 1) warps -= warps % p->warp_unit;
    return warps * 32 < most ? warps * 32 : most;
}

dev_kernel *dev_kernel_of(dev_client *c, dev_module *m, unsigned device, void *kernel,
                          const sim_kernel_info *info) {
    for (size_t i = 0; i < c->code.kernel_count; i++)
        if (c->code.kernels[i]->kernel == kernel) return c->code.kernels[i];
    bool room = lib_grow(&c->code.kernels, &c->code.kernel_room, c->code.kernel_count,
                         sizeof *c->code.kernels, 16);
    dev_kernel *o = room ? calloc(1, sizeof *o) : NULL;
    if (!o || !(o->handle = dev_object_new(c, DEV_KERNEL, o))) {
        free(o);
        return NULL;
    }
    o->module = m, o->device = device, o->kernel = kernel, o->info = info;
    o->max_threads = kernel_threads(dev_hw(c, device)->profile, info);
    return c->code.kernels[c->code.kernel_count++] = o;
}
