/* The door of this room inside the simulated device; sim.h has what others see of it.
 *
 *   PTX text --ptx/--> ptx_module --module.c--> sim_module: variables in device memory (symbol.c says where), kernels
 *     with their resources (resources.h, ptxas or an estimate) and, at the first launch, their image (decode/)
 *   a program's fat binary --fatbin.c--> PTX text and machine code, whose headers cubin.c reads
 *   a launch's resources --occupancy.c--> resident blocks */
#ifndef WARPLAB_SIM_MODULE_H
#define WARPLAB_SIM_MODULE_H

#include "runner/base/message.h"
#include "runner/sim/decode/image.h"
#include "runner/sim/load/symbol.h"
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
    const volatile int *stop; /* as sim_module_options */
};
struct sim_symbol {
    const ptx_var *var;
    sim_addr address;
    bool placed; /* a managed variable in memory that is not the module's */
};
/* Its instructions as the time model sees them; made when asked for the first time, NULL when
 * memory is out. */
const time_code *sim_module_time(sim_module *m);
static inline bool sim_module_stopped(const sim_module *m) {
    return m->stop && *m->stop;
}
/* The kernel as it is executed; decoded when asked for the first time. NULL and *msg: it uses what
 * is not supported. */
sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg);

#endif
