/* The door of this room inside the simulated device; sim.h has what others see of it.
 *
 *   PTX text --parse/--> ptx_module --module.c--> sim_module (machine/module.h): variables in device memory (machine/symbol.c
 *     says where), kernels with their resources (load/resources.h: ptxas, or an estimate) and, at the first launch, their
 *     image (decode/) with a place for its machine code (native/) */
#ifndef WARPLAB_SIM_MODULE_H
#define WARPLAB_SIM_MODULE_H

#include "runner/device/sim/machine/module.h"

/* Its instructions as the time model sees them; made when asked for the first time, NULL when
 * memory is out. */
const time_code *sim_module_time(sim_module *m);
/* The kernel as it is executed; decoded when asked for the first time. NULL and *msg: it uses what
 * is not supported. */
sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg);
/* The same for launches with clusters: addresses of shared memory have the block's rank. */
sim_image *sim_kernel_cluster_image(sim_kernel *k, lib_message *msg);

#endif
