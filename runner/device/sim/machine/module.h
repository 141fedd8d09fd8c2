/* Modules and their kernels. module/module.c makes and frees them. */
#ifndef WARPLAB_SIM_MODULE_STATE_H
#define WARPLAB_SIM_MODULE_STATE_H

#include "runner/base/message.h"
#include "runner/base/cancel.h"
#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/machine/symbol.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/time.h"

struct sim_kernel {
    sim_module *module;
    const ptx_func *func;
    size_t number; /* index of func among the module's functions; ascends from kernel to kernel */
    sim_kernel_info info;
    char *pretty;
    uint32_t *param_offset, *param_size;
    sim_image *image;         /* decoded at the first launch */
    sim_image *cluster_image; /* decoded at the first launch with clusters */
    lib_message *unsupported; /* why it cannot be decoded */
    /* Grids and blocks of launches with a what-if answer, and the answers. A launch with the same
     * grid and block gets the answer, scaled to its own time. If the array is full, no further
     * answers are computed. */
    struct {
        uint64_t launch;
        double time_us;
        size_t line_count;
        sim_what_if *answer; /* SIM_COST_COUNT of them, or NULL */
    } asked[16];
    unsigned asked_count;
    /* The blocks of the last launch if its sample said little about it (run/sample.c), otherwise 0;
     * and the multiprocessor with the most work. */
    uint64_t busy_grid;
    unsigned busy_sm;
    time_kept *kept;       /* made at the first timed launch */
    struct sim_twin *twin; /* its machine code (module/twin.h); NULL: none that can be executed */
    bool twin_known;
    lib_message *twin_refusal; /* why it has no twin */
    lib_message *twin_missed;  /* why its last launch had no twin, or did not use it */
    bool resources_known;
};
struct sim_module {
    sim_device *device;
    ptx_module *ptx;
    char *text;
    size_t text_len;
    sim_kernel *kernels;
    size_t kernel_count;
    struct sim_symbol *symbols; /* .global and .const variables, by name */
    size_t symbol_count;
    uint64_t const_bytes; /* bytes that the constants take, in their order */
    char *ptxas;
    unsigned ptxas_registers; /* its flags: sim_ptxas */
    char ptxas_level;
    /* nvdisasm's text of its machine code (sim_module_options); NULL: none. `machine`: read on
     * first need */
    char *machine_text;
    size_t machine_len;
    void *cubin;
    size_t cubin_len;
    struct sass_module *machine;
    bool machine_known;
    lib_message machine_why;  /* why it could not be read, if machine_known and machine is NULL */
    const volatile int *stop; /* as in sim_module_options */
};
struct sim_symbol {
    const ptx_var *var;
    sim_addr address;
    bool placed; /* a managed variable, in memory that does not belong to the module */
};
static inline bool sim_module_stopped(const sim_module *m) {
    return lib_raised(m->stop);
}

#endif
