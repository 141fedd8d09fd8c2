/* The state of a simulated device between its launches. api/device.c makes and frees it. */
#ifndef WARPLAB_SIM_DEVICE_H
#define WARPLAB_SIM_DEVICE_H

#include "runner/device/sim/access/access.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

/* Made by other rooms: run/pool.h, load/resources.h, native/native.h, time/trace.h. */
typedef struct sim_pool sim_pool;
typedef struct sim_resource_cache sim_resource_cache;
typedef struct sim_native sim_native;
typedef struct sim_firsts sim_firsts;

struct sim_device {
    const sim_profile *profile;
    sim_options options;
    bool machine_code; /* options.machine_code as the device was made */
    sim_memory *memory;
    sim_caches *caches;
    uint64_t changed; /* bytes of L2 with lines that something other than a launch has changed */
    sim_pool *pool;
    sim_resource_cache *resources;
    sim_isa isa;
    bool rewrite;       /* the decoder may rewrite code (slots.c); off by WARPLAB_SIM_REWRITE=off */
    sim_native *native; /* NULL: off */
    sim_firsts *firsts; /* time/firsts.c; NULL: not needed yet */
    uint64_t launches;
    sim_texture *textures; /* by handle; a free entry has no channels */
    size_t texture_count;
    sim_addr workspace;  /* of grid barriers */
    sim_addr child_area; /* memory for the parameters of kernels that kernels launch; 0: none yet */
    uint64_t child_bytes; /* its size */
    sim_addr param_block; /* place of a launch's parameters if a kernel reads them by address */
};

enum { SIM_PARAM_BLOCK = 32768 };

#endif
