/* What a module and a kernel of it are; module/module.c makes and frees them. */
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
    size_t number; /* of func among the module's functions: ascending from kernel to kernel */
    sim_kernel_info info;
    char *pretty;
    uint32_t *param_offset, *param_size;
    sim_image *image;         /* decoded at the first launch */
    sim_image *cluster_image; /* at the first one with clusters */
    lib_message *unsupported; /* why it cannot be */
    /* Grids and blocks for which what-if was answered, and the answers: a launch like one of these has
     * them, scaled to its own time. No more than fit here are asked for. */
    struct {
        uint64_t launch;
        double time_us;
        size_t line_count;
        sim_what_if *answer; /* SIM_COST_COUNT, or NULL */
    } asked[16];
    unsigned asked_count;
    /* Of the last launch, if its sample said little of it (run/sample.c): its blocks, else 0; and who
     * had most to do. */
    uint64_t busy_grid;
    unsigned busy_sm;
    time_kept *kept;       /* made at the first launch that is timed */
    struct sim_twin *twin; /* its machine code (module/twin.h); NULL: none that can be executed */
    bool twin_known;
    lib_message *twin_refusal; /* why it has none */
    lib_message *twin_missed;  /* why its last launch had none, or did without */
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
    uint64_t const_bytes; /* that the constants take, in their order */
    time_code *time;
    char *ptxas;
    /* of its machine code (sim_module_options); NULL: none. `machine`: read on first need */
    char *machine_text;
    size_t machine_len;
    void *cubin;
    size_t cubin_len;
    struct sass_module *machine;
    bool machine_known;
    lib_message machine_why;  /* known, and there is none */
    const volatile int *stop; /* as sim_module_options */
};
struct sim_symbol {
    const ptx_var *var;
    sim_addr address;
    bool placed; /* a managed variable in memory that is not the module's */
};
static inline bool sim_module_stopped(const sim_module *m) {
    return lib_raised(m->stop);
}

#endif
