/* The door of this room: PTX in, what runs out.
 *
 *   sim_module, ptx_func --sim_image_new()--> sim_image (machine/image.h), or why the simulated device does not execute it
 *     image.c: which functions, what of shared memory    slots.c: a slot for each register
 *     families.c: the function that an instruction's row of ops.def names: in decode_*.c here, in special/ beside its handler
 *     segments.c: instructions to segments               live.c: which registers are read again */
#ifndef WARPLAB_SIM_DECODE_H
#define WARPLAB_SIM_DECODE_H

#include "runner/device/sim/machine/module.h"

/* NULL and *msg when the kernel uses what is not supported. clustered: for launches with clusters.
 * sim_image_release() frees it. */
sim_image *sim_image_new(sim_module *m, const ptx_func *kernel, bool clustered, lib_message *msg);
/* families.c. How the instruction ends a segment: SIM_END_FALL if it does not. */
sim_end sim_decode_end(const ptx_insn *p);
/* decode_call.c. Local memory a thread may address: the kernel's own and its callees' frames; at
 * least `stack` where it may take more than anybody knows beforehand: alloca, recursion. */
uint32_t sim_local_limit(const sim_image *im, uint32_t stack);

#endif
