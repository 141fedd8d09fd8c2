/* Modules: a program's fat binaries, loaded on a device at first use.
 *
 *   ModuleBegin, ModuleData --bytes--> dev_module_load() --> the backend's module
 *                                       its __managed__ variables: managed.c
 *   ModuleManaged --> the descriptor of their memory, which the client maps at the same address */
#include "runner/device/server/core/client.h"
#include "runner/device/server/calls/module.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/gpu/gpu.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/object.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

void dev_modules_reset(dev_client *c, unsigned device) {
    for (size_t i = 0; i < c->code.module_count; i++)
        if (c->code.modules[i]->on[device])
            HW(dev_hw(c, device), module_reset, c->code.modules[i]->on[device]);
}

static void module_free(dev_client *c, dev_module *m) {
    for (unsigned d = 0; d < DEV_MAX; d++)
        if (m->on[d]) HW(m->device[d], module_free, m->on[d]);
    dev_managed_drop(c, m);
    free(m->data);
    free(m);
}

void dev_code_free(dev_client *c) {
    for (size_t i = 0; i < c->code.kernel_count; i++) free(c->code.kernels[i]);
    for (size_t i = 0; i < c->code.module_count; i++) module_free(c, c->code.modules[i]);
    free(c->code.kernels), free(c->code.modules);
}

cudaError_t dev_on_ModuleBegin(dev_call *k, const struct wire_in_ModuleBegin *in,
                               struct wire_out_ModuleBegin *out) {
    dev_client *c = k->c;
    if (in->bytes > DEV_MODULE_BYTES || c->code.bytes > DEV_MODULE_BYTES - in->bytes) {
        lib_message_set(&k->note,
                        w_server_code_too_large((unsigned long long)(DEV_MODULE_BYTES >> 20)));
        return cudaErrorMemoryAllocation;
    }
    if (!dev_hold(c, in->bytes)) return cudaErrorMemoryAllocation;
    dev_module *m = calloc(1, sizeof *m);
    bool room = lib_grow(&c->code.modules, &c->code.module_room, c->code.module_count,
                         sizeof *c->code.modules, 8);
    if (!m || !room || !(m->data = malloc(in->bytes ? in->bytes : 1)) ||
        !(m->handle = dev_object_new(c, DEV_MODULE, m))) {
        if (m) free(m->data);
        free(m);
        dev_let_go(c, in->bytes);
        return cudaErrorMemoryAllocation;
    }
    m->bytes = in->bytes;
    c->code.bytes += in->bytes;
    c->code.modules[c->code.module_count++] = m;
    out->module = m->handle;
    return cudaSuccess;
}

cudaError_t dev_on_ModuleData(dev_call *k, const struct wire_in_ModuleData *in,
                              struct wire_out_ModuleData *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    (void)out;
    if (!m || k->span_bytes[0] > m->bytes - m->have) return cudaErrorInvalidValue;
    memcpy(m->data + m->have, k->span[0], k->span_bytes[0]);
    m->have += k->span_bytes[0];
    return cudaSuccess;
}

void dev_client_code(dev_client *c,
                     bool (*allowed)(void *user, const void *fatbin, size_t n, unsigned arch),
                     void *user) {
    c->code.allowed = allowed;
    c->code.allowed_user = user;
}

cudaError_t dev_module_load(dev_call *k, dev_module *m) {
    dev_client *c = k->c;
    dev_device *d = &c->s->device[k->device];
    sim_status s;
    lib_message msg = {0};
    if (m->on[k->device] || m->tried[k->device]) return m->error[k->device];
    m->tried[k->device] = true;
    unsigned arch = d->profile->cc_major * 10 + d->profile->cc_minor;
    /* g80: the oldest architecture for which nvcc still compiles */
    if (d->profile->compile_arch > arch) arch = d->profile->compile_arch;
    if (c->code.allowed && !c->code.allowed(c->code.allowed_user, m->data, m->have, arch)) {
        lib_message_set(&k->note, w_server_code_not_allowed());
        return m->error[k->device] = cudaErrorNotPermitted;
    }
    dev_placing p = {c, m, k->device};
    uint64_t taken = 0;
    const sim_options *sim = &c->s->opt.sim;
    bool wanted = sim->machine_code || sim->count_machine;
    const dev_code_options o = {.ptxas = c->s->opt.ptxas,
                                .demangle = c->s->opt.demangle,
                                .machine_code = wanted ? c->s->opt.machine_code : NULL,
                                .program = c->process.path ? c->process.path : "",
                                .arch = arch,
                                .device = d->name,
                                .managed = dev_managed_place,
                                .managed_user = &p,
                                .stop = &c->limits.stop,
                                .room = dev_hold_room(c) + 1,
                                .taken = &taken};
    m->on[k->device] = HW(d, module_new, m->data, m->have, &o, &s, &msg);
    m->device[k->device] = d;
    if (!s && dev_hold(c, taken)) return cudaSuccess;
    if (!s) {
        s = SIM_NOMEM;
        lib_message_set(&msg, w_server_holds_too_much());
    }
    if (dev_stopped(c)) return m->error[k->device] = dev_error(SIM_CANCELLED);
    lib_message_set(&k->note, w_server_cannot_load_code(&msg));
    if (s != SIM_NOMEM) dev_unsupported(c, w_server_device_code(&msg));
    return m->error[k->device] = s == SIM_NOT_FOUND     ? cudaErrorNoKernelImageForDevice
                                 : s == SIM_UNSUPPORTED ? cudaErrorNotSupported
                                                        : dev_error(s);
}

cudaError_t dev_on_ModuleLoad(dev_call *k, const struct wire_in_ModuleLoad *in,
                              struct wire_out_ModuleLoad *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    (void)out;
    return m ? dev_module_load(k, m) : cudaErrorInvalidResourceHandle;
}

cudaError_t dev_on_ModuleUnload(dev_call *k, const struct wire_in_ModuleUnload *in,
                                struct wire_out_ModuleUnload *out) {
    dev_client *c = k->c;
    dev_module *m = dev_object(c, in->module, DEV_MODULE);
    (void)out;
    if (!m) return cudaErrorInvalidResourceHandle;
    /* Its kernels may be queued, and the log names them, so it stays until the client ends, except
     * for its text. */
    dev_object_drop(c, m->handle);
    m->unloaded = true;
    c->code.bytes -= m->bytes;
    dev_let_go(c, m->bytes);
    free(m->data);
    m->data = NULL, m->bytes = m->have = 0;
    return cudaSuccess;
}

bool dev_module_name(const dev_call *k, char *to, size_t n) {
    if (k->span_bytes[0] >= n || memchr(k->span[0], 0, k->span_bytes[0])) return false;
    memcpy(to, k->span[0], k->span_bytes[0]);
    to[k->span_bytes[0]] = 0;
    return true;
}

/* The client calls this after it has loaded a module with such variables, before one of its kernels
 * runs. */
cudaError_t dev_on_ModuleManaged(dev_call *k, const struct wire_in_ModuleManaged *in,
                                 struct wire_out_ModuleManaged *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    char name[4096];
    if (!m) return cudaErrorInvalidResourceHandle;
    if (!dev_module_name(k, name, sizeof name)) return cudaErrorInvalidSymbol;
    cudaError_t e = dev_module_load(k, m);
    if (e) return e;
    if (!m->managed.count && dev_hw(k->c, k->device)->backend == &dev_backend_gpu) {
        /* The driver places them itself, at addresses that no other process can share. */
        lib_message_set(&k->note, w_server_managed_on_gpu(name));
        dev_unsupported(k->c, lib_message_words(&k->note));
        return cudaErrorNotSupported;
    }
    if (!m->managed.count) return cudaErrorInvalidSymbol;
    if (m->managed.given) return cudaErrorInvalidValue;
    k->fd = m->managed.fd, m->managed.given = true;
    out->address = m->managed.base, out->bytes = m->managed.map_bytes;
    return cudaSuccess;
}
