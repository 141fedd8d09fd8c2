/* Modules inside the simulated device (sim.h has what others see): the parsed PTX, where its
 * variables lie, its kernels. */
#ifndef WARPLAB_SIM_MODULE_H
#define WARPLAB_SIM_MODULE_H

#include "runner/base/message.h"
#include "runner/sim/decode/image.h"
#include "runner/sim/ptx/ptx.h"
#include "runner/sim/sim.h"
#include "runner/sim/time/time.h"

struct sim_kernel {
    sim_module *module;
    const ptx_func *func;
    sim_kernel_info info;
    char *pretty;
    uint32_t *param_offset, *param_size;
    sim_image *image;  /* decoded at the first launch */
    char *unsupported; /* why it cannot be */
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
    time_code *time;
    char *ptxas;
};
struct sim_symbol {
    const ptx_var *var;
    sim_addr address;
    bool placed; /* a managed variable in memory that is not the module's */
};
/* Where a module variable lies; 0 if it has no place. */
sim_addr sim_module_address(const sim_module *m, const ptx_var *v);
/* Code addresses: what a function pointer holds. */
#define SIM_CODE_BASE 0x2e0000000000ull
sim_addr sim_module_code(const sim_module *m, const ptx_func *f);
const ptx_func *sim_module_function(const sim_module *m, sim_addr a);
const time_code *sim_module_time(sim_module *m);
sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg);

#endif
