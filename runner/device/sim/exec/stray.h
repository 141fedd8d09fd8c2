/* Values that nobody gave: a shuffle reads a lane that takes no part in it, which is not in its mask, has
 * exited or never was. PTX ISA, shfl.sync: such a value is undefined.
 *
 *   sync.c: a shuffle --sim_stray_shuffle()--> w->stray: its register, the lanes that read so
 *   warp.c: each instruction of a warp that has some --sim_stray_step()--> on to other registers, or
 *           a finding
 *
 * Reading one is no fault: the upper lanes of a reduction do so and throw the result away. Told is
 * who stores it in global or shared memory, gives it to an atomic or uses it as an address. Nothing
 * is told of what goes through local memory, a call, or a branch; those lose it. */
#ifndef WARPLAB_SIM_STRAY_H
#define WARPLAB_SIM_STRAY_H

#include "runner/device/sim/machine/state.h"

/* The shuffle or another .sync instruction is about to be executed by w->mask. */
void sim_stray_sync(sim_warp *w, const sim_insn *i);
/* The PTX instruction is about to be executed by w->mask; w->strays is not 0. */
void sim_stray_step(sim_warp *w, const ptx_insn *p);
/* The lanes are gone. */
void sim_stray_exited(sim_warp *w, uint32_t lanes);

#endif
