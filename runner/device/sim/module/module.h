/* The door of this room inside the simulated device. sim.h has the part that others see.
 *
 *   PTX text --parse/--> ptx_module --module.c--> sim_module (machine/module.h): variables in
 *     device memory (machine/symbol.c says where), kernels with their resources (load/resources.h:
 *     ptxas) and, at the first launch, their image (decode/) with a place for its
 *     machine code (native/) */
#ifndef WARPLAB_SIM_MODULE_H
#define WARPLAB_SIM_MODULE_H

#include "runner/device/sim/machine/module.h"

/* Returns the decoded kernel, made on first need. NULL and *msg: it uses something unsupported. */
sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg);
/* The same for launches with clusters: addresses of shared memory contain the block's rank. */
sim_image *sim_kernel_cluster_image(sim_kernel *k, lib_message *msg);

#endif
