/* Devices: makes a profile, options, memory, caches and a pool of threads into a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/memory/tensor_map.h"
#include "runner/device/sim/native/native.h"
#include "runner/device/sim/run/pool.h"
#include "runner/device/sim/race_check.h"
#include "runner/device/sim/time/time.h"
#include "words/device.h"
#include "words/base.h"

static unsigned cores(void) {
    unsigned n = lib_cores();
    return n > 256 ? 256 : n;
}

sim_device *sim_device_new(const sim_profile *p, const sim_options *o, lib_message *msg) {
    lib_message scratch;
    sim_options standard;
    if (!msg) msg = &scratch;
    *msg = (lib_message){0};
    if (!o) {
        sim_options_default(&standard);
        o = &standard;
    }
    if (!p || o->device_index > 15) {
        lib_message_set(msg, p ? w_device_index_too_large(o->device_index) : w_device_no_profile());
        return NULL;
    }
    sim_isa isa = sim_isa_best();
    if (isa == SIM_ISA_COUNT) {
        lib_message_set(msg, w_device_other_processor());
        return NULL;
    }
    sim_device *d = calloc(1, sizeof *d);
    if (!d) {
        lib_message_set(msg, w_base_out_of_memory());
        return NULL;
    }
    d->profile = p;
    d->options = *o;
    d->machine_code = o->machine_code;
    d->isa = isa;
    const char *rewrite = getenv("WARPLAB_SIM_REWRITE");
    /* A debugger looks at each instruction as it is in the PTX. */
    if (o->debug) d->options.threads = 1, d->options.model_time = d->options.what_if = false;
    d->rewrite = !o->debug && (!rewrite || strcmp(rewrite, "off"));
    d->native = o->debug ? NULL : sim_native_new(o->run_command, o->run_user);
    uint64_t limit = o->memory_limit;
    if (!limit) {
        struct sysinfo si;
        limit = p->memory_bytes;
        if (!sysinfo(&si)) {
            uint64_t have = (uint64_t)(si.freeram + si.bufferram) * si.mem_unit / 4 * 3;
            if (have < limit) limit = have;
        }
    }
    d->memory = sim_memory_new(limit, o->device_index, o->check_uninit, msg);
    if (d->memory) d->caches = sim_caches_new(p, d->isa);
    if (d->caches) {
        unsigned threads = d->options.threads;
        d->pool = sim_pool_new(threads ? (threads > 256 ? 256 : threads) : cores());
    }
    if (d->pool) d->resources = sim_resource_cache_new(o->run_command, o->run_user);
    if (!d->resources ||
        sim_memory_alloc(d->memory, SIM_PARAM_BLOCK, SIM_ALLOC_CONST, "kernel parameters",
                         &d->param_block) ||
        sim_memory_alloc(d->memory, 256, SIM_ALLOC_MODULE, "grid barrier", &d->workspace)) {
        if (!lib_message_any(msg)) lib_message_set(msg, w_base_out_of_memory());
        sim_device_free(d);
        return NULL;
    }
    return d;
}

void sim_device_free(sim_device *d) {
    if (!d) return;
    sim_pool_free(d->pool);
    sim_native_free(d->native);
    sim_firsts_free(d->firsts);
    if (d->resources) sim_resource_cache_free(d->resources);
    if (d->caches) sim_caches_free(d->caches);
    if (d->memory) sim_memory_free(d->memory);
    free(d->textures);
    free(d);
}

void sim_device_check_race_global(sim_device *d, bool on) {
    d->options.check_race_global = on;
}

void sim_device_by_machine(sim_device *d, bool on) {
    d->options.machine_code = on && d->machine_code;
}

const sim_profile *sim_device_profile(const sim_device *d) {
    return d->profile;
}
sim_memory *sim_device_memory(const sim_device *d) {
    return d->memory;
}
sim_caches *sim_device_caches(const sim_device *d) {
    return d->caches;
}

/* ---- tensor maps ---- */

sim_status sim_tensor_map_new(const sim_device *d, const sim_tensor_map *t,
                              uint8_t to[SIM_TENSOR_MAP_BYTES], lib_message *msg) {
    if (!d->profile->tensor_maps) {
        lib_message_set(msg, w_device_no_tensor_maps(d->profile->cc_major, d->profile->cc_minor));
        return SIM_UNSUPPORTED;
    }
    sim_status s = sim_tensor_map_check(t, msg);
    if (s == SIM_OK) sim_tensor_map_pack(t, to);
    return s;
}
