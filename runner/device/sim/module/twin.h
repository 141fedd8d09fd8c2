/* A kernel's machine code beside its PTX: executed to be counted and timed, never for results.
 *
 *   text of nvdisasm --sass/--> function --translate/--> PTX that restates it --sim_module_new()--> image
 *   cubin --load/cubin.h--> what its banks of constants hold
 *
 * Made at the first launch that wants it, kept with the kernel. */
#ifndef WARPLAB_SIM_TWIN_H
#define WARPLAB_SIM_TWIN_H

#include "runner/device/sim/load/cubin.h"
#include "runner/device/sim/machine/module.h"
#include "runner/device/sim/sass/sass.h"

typedef struct sim_twin {
    sim_module *module; /* of the restated text, with the banks as variables */
    sim_kernel *kernel; /* its only one */
    const sass_func *func;
    time_code *code; /* by machine instruction */
    time_machine_map *map;
    bool meets_by_sync;       /* no BREAK leaves a place where lanes meet: as sim_run_state */
    uint32_t param_bytes;     /* that a launch of it takes */
    sim_cubin_bank constants; /* bank 3 */
    sim_addr constants_at;
} sim_twin;

/* NULL: the module has no machine code, or the kernel's is not executed here, as k->twin_refusal
 * says. */
sim_twin *sim_kernel_twin(sim_kernel *k);
/* Before each launch: its bank of constants as the program's variables are now. False: one of them is
 * not there. */
bool sim_twin_refresh(sim_twin *t, sim_kernel *k);
/* Its kernel's image for launches with clusters is made. */
bool sim_twin_of_clusters(sim_twin *t);
void sim_twin_free(sim_twin *t);

#endif
