/* A kernel's machine code, kept beside its PTX. It is executed to count and time, never for
 * results.
 *
 *   text of nvdisasm --sass/--> function --translate/--> PTX that restates it --sim_module_new()-->
 *     image
 *   cubin --load/cubin.h--> the contents of its banks of constants
 *
 * Made at the first launch that needs it, and kept with the kernel. */
#ifndef WARPLAB_SIM_TWIN_H
#define WARPLAB_SIM_TWIN_H

#include "runner/device/sim/load/cubin.h"
#include "runner/device/sim/machine/module.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/translate/translate.h"

typedef struct sim_twin {
    sim_module *module;       /* module of the restated text, with the banks as variables */
    sim_kernel *kernel;       /* the only kernel of that module */
    const sass_module *owner; /* of func */
    const sass_func *func;
    time_code *code; /* by machine instruction */
    time_machine_map *map;
    bool meets_by_sync;   /* no BREAK leaves a place where lanes meet: as in sim_run_state */
    uint32_t param_bytes; /* bytes of parameters of its launches */
    uint32_t *param_at;   /* of each parameter, its place there */
    sim_cubin_bank banks[SIM_TRANSLATE_BANKS]; /* [2] to [4]: what its constants hold */
} sim_twin;

/* NULL: the module has no machine code, or the kernel's cannot be executed here; k->twin_refusal
 * says why. */
sim_twin *sim_kernel_twin(sim_kernel *k);
/* Call it before each launch: sets the banks of constants to the program's variables as they are
 * now, and writes them, because the device's memory may have been put back to a time before the
 * twin was made. Returns false if a variable does not exist. */
bool sim_twin_refresh(sim_twin *t, sim_kernel *k);
/* Makes the image of its kernel for launches with clusters. */
bool sim_twin_of_clusters(sim_twin *t);
void sim_twin_free(sim_twin *t);

#endif
