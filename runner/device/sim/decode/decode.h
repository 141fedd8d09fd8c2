/* The door of this room. In: PTX. Out: executable code.
 *
 *   sim_module, ptx_func --sim_image_new()--> sim_image (machine/image.h), or the reason why the
 *     simulated device cannot execute it
 *     image.c: which functions, which shared memory
 *     slots.c: a slot for each register
 *     families.c: the function that an instruction's row of ops.def names: in decode_*.c here, in
 *       special/ with its handler
 *     segments.c: instructions to segments
 *     live.c: which registers are read again */
#ifndef WARPLAB_SIM_DECODE_H
#define WARPLAB_SIM_DECODE_H

#include "runner/device/sim/machine/module.h"

/* Returns NULL and sets *msg if the kernel uses something unsupported. clustered: for launches with
 * clusters. Free it with sim_image_release(). */
sim_image *sim_image_new(sim_module *m, const ptx_func *kernel, bool clustered, lib_message *msg);
/* families.c. Returns how the instruction ends a segment; SIM_END_FALL if it does not. */
sim_end sim_decode_end(const ptx_insn *p);
/* decode_call.c. Returns the local memory that a thread may address: the kernel's own frame and
 * those of its callees. It is at least `stack` if the need is not known beforehand: alloca,
 * recursion. */
uint32_t sim_local_limit(const sim_image *im, uint32_t stack);

#endif
