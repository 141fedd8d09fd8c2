/* A session: the devices, and the buffers on device 0 that belong to the user of clients. */
#include "runner/base/message.h"
#include "runner/base/buffer.h"
#include "runner/device/server/gpu/gpu.h"
#include "runner/device/server/core/server.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"
#include "words/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dev_options_default(dev_options *o) {
    memset(o, 0, sizeof *o);
    o->device = "sim:h200";
    sim_options_default(&o->sim);
    o->sim.run_command = dev_run_command;
    o->print_limit = 1 << 20;
    o->launch_limit = 100000;
}

void dev_list(dev_listed *fn, void *user) {
    for (size_t i = 0; i < sim_profile_count(); i++) {
        const sim_profile *p = sim_profile_at(i);
        char name[64];
        lib_message what;
        snprintf(name, sizeof name, "sim:%s", p->name);
        lib_message_set(
            &what, w_server_simulated(p->marketing, p->dram_gbs, p->sms, p->cc_major, p->cc_minor));
        fn(user, name, &what, NULL);
    }
    dev_gpu_list(fn, user);
}

/* "gpu:0" to 0. */
static bool gpu_number(const char *name, unsigned *index) {
    char *end;
    unsigned long n = strtoul(name + 4, &end, 10);
    *index = (unsigned)n;
    return end != name + 4 && !*end && n < 64;
}

static bool device_new(dev_session *s, const char *name, size_t n, lib_message *msg) {
    dev_device *d = &s->device[s->count];
    if (s->count == DEV_MAX) {
        lib_message_set(msg, w_server_too_many_devices(DEV_MAX));
        return false;
    }
    if (n >= sizeof d->name) n = sizeof d->name - 1;
    memcpy(d->name, name, n);
    d->name[n] = 0;
    unsigned index;
    if (!strncmp(d->name, "gpu:", 4) && gpu_number(d->name, &index)) {
        d->backend = &dev_backend_gpu;
        d->hw = dev_gpu_open(index, s->count, &s->opt, &d->profile, msg);
        if (!d->hw) return false;
        s->count++;
        return true;
    }
    d->profile = strncmp(d->name, "sim:", 4) ? NULL : sim_profile_find(d->name + 4);
    if (!d->profile) {
        lib_buffer known = {0};
        for (size_t i = 0; i < sim_profile_count(); i++)
            lib_buffer_printf(&known, "%ssim:%s", i ? ", " : "", sim_profile_at(i)->name);
        lib_message_set(msg, w_server_no_device(d->name, known.s ? known.s : ""));
        lib_buffer_free(&known);
        return false;
    }
    sim_options o = s->opt.sim;
    if (!o.launch_bytes && s->opt.client_bytes) o.launch_bytes = s->opt.client_bytes / 2;
    o.device_index = s->count;
    d->backend = &dev_backend_sim;
    d->hw = sim_device_new(d->profile, &o, msg);
    if (!d->hw) return false;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->device[i].backend != d->backend) continue;
        HW(d, peer, s->device[i].hw);
        HW(&s->device[i], peer, d->hw);
    }
    s->count++;
    return true;
}

/* Computes what clients may make this process hold: as much as the simulated device has, which is
 * at most what the host can spare (sim_options.memory_limit). A GPU has its own memory. */
static void session_measure(dev_session *s) {
    const uint64_t beside_gpu = (uint64_t)16 << 30;
    for (unsigned d = 0; d < s->count; d++) {
        uint64_t free_bytes, total = beside_gpu;
        if (s->device[d].backend == &dev_backend_sim) HW(&s->device[d], info, &free_bytes, &total);
        if (total > s->total) s->total = total;
    }
}

dev_session *dev_session_new(const dev_options *o, lib_message *msg) {
    dev_session *s = calloc(1, sizeof *s);
    *msg = (lib_message){0};
    if (!s) {
        lib_message_set(msg, w_base_out_of_memory());
        return NULL;
    }
    s->opt = *o;
    if (!s->opt.print_limit) s->opt.print_limit = 1 << 20;
    if (!s->opt.launch_limit) s->opt.launch_limit = 100000;
    s->host_next = DEV_HOST_LOW;
    const char *p = o->device ? o->device : "sim:h200";
    for (;;) {
        size_t n = strcspn(p, ",");
        if (!device_new(s, p, n, msg)) {
            dev_session_free(s);
            return NULL;
        }
        if (!p[n]) break;
        p += n + 1;
    }
    s->opt.device = NULL; /* borrowed */
    session_measure(s);
    return s;
}

void dev_session_free(dev_session *s) {
    if (!s) return;
    for (unsigned i = 0; i < s->count; i++) HW(&s->device[i], close);
    free(s->buffers);
    free(s);
}

unsigned dev_session_devices(const dev_session *s) {
    return s->count;
}
sim_device *dev_session_sim(dev_session *s, unsigned device) {
    return device < s->count && s->device[device].backend == &dev_backend_sim ? s->device[device].hw
                                                                              : NULL;
}
const char *dev_session_name(const dev_session *s, unsigned device) {
    return device < s->count ? s->device[device].name : "";
}

const sim_profile *dev_session_profile(const dev_session *s, unsigned device) {
    return device < s->count ? s->device[device].profile : NULL;
}
bool dev_session_gpu(dev_session *s, unsigned device, dev_gpu_state *state) {
    if (device >= s->count || s->device[device].backend != &dev_backend_gpu) return false;
    dev_gpu_state_get(s->device[device].hw, state);
    return true;
}

sim_status dev_alloc(dev_session *s, uint64_t bytes, const char *name, uint64_t *addr) {
    sim_addr a = 0;
    if (!lib_grow_one(&s->buffers, s->buffer_count, sizeof *s->buffers)) return SIM_NOMEM;
    sim_status e = HW(&s->device[0], alloc, bytes ? bytes : 1, &a);
    if (e) return e;
    if (name) HW(&s->device[0], name, a, name);
    s->buffer_bytes += bytes;
    s->buffers[s->buffer_count].base = a;
    s->buffers[s->buffer_count++].bytes = bytes;
    *addr = a;
    return SIM_OK;
}

void dev_reserve(dev_session *s, uint64_t bytes) {
    s->reserved = bytes;
}

sim_status dev_free(dev_session *s, uint64_t addr) {
    for (size_t i = 0; i < s->buffer_count; i++)
        if (s->buffers[i].base == addr) {
            s->buffer_bytes -= s->buffers[i].bytes;
            s->buffers[i] = s->buffers[--s->buffer_count];
            return HW(&s->device[0], release, addr);
        }
    return SIM_BAD_ADDRESS;
}
sim_status dev_write(dev_session *s, uint64_t addr, const void *from, uint64_t n) {
    return n ? HW(&s->device[0], write, addr, from, n) : SIM_OK;
}
sim_status dev_read(dev_session *s, void *to, uint64_t addr, uint64_t n) {
    return n ? HW(&s->device[0], read, to, addr, n) : SIM_OK;
}
sim_status dev_poison(dev_session *s, uint64_t addr, uint64_t n) {
    return n ? HW(&s->device[0], poison, addr, n) : SIM_OK;
}
void dev_flush(dev_session *s) {
    for (unsigned i = 0; i < s->count; i++) HW(&s->device[i], flush, 0);
}
