/* Values that nobody gave.
 *
 *   a shuffle reads a lane that takes no part in it, which is not in its mask, has exited or never was
 *     (PTX ISA, shfl.sync: undefined)           sync.c --sim_stray_sync()--.
 *   a load reads shared or local memory that nobody has written            |
 *     access/ --sim_stray_blank()--> the segment's loop stops behind it    |
 *     warp.c --sim_stray_loaded()------------------------------------------+--> w->stray: registers, lanes
 *   warp.c: each instruction of a warp that has some --sim_stray_step(), sim_stray_end()--> on to other
 *     registers, or a finding
 *
 * Reading one is no fault: the upper lanes of a reduction do so, and threads that look at the unfilled
 * tail of a tile, put it back, and throw the result away. Told is who stores it in global memory, gives
 * it to an atomic or uses it as an address. Shared memory into which such a value of a load is stored as it is counts as
 * never written; what comes of a shuffle is told there.
 *
 * Of shuffles nothing is told of what goes through local memory, a call, or a branch; those lose it.
 * What a load read is told where it goes to local memory, a call, another warp's or lane's vote, a
 * matrix product or whatever else is not plain arithmetic. Lanes that branch on it are swayed until the paths
 * meet again: what they write into registers meanwhile is such a value, and what they store is told.
 * When more is under way than there is room for, a load is told at once. Not seen: that a lane would
 * have written a register on the way that it did not go. */
#ifndef WARPLAB_SIM_STRAY_H
#define WARPLAB_SIM_STRAY_H

#include "runner/device/sim/machine/state.h"

/* The shuffle or another .sync instruction is about to be executed by w->mask. */
void sim_stray_sync(sim_warp *w, const sim_insn *i);
/* The PTX instruction is about to be executed by w->mask; w->strays is not 0. */
void sim_stray_step(sim_warp *w, const ptx_insn *p);
/* It is over; w->stray->parked are lanes of it. */
void sim_stray_parked(sim_warp *w, const sim_insn *i);
/* The same of the instruction that ends the segment, but for .sync ones. */
void sim_stray_end(sim_warp *w, const sim_insn *i);
/* w->mask is about to execute the segment; w->strays is not 0. */
void sim_stray_arrive(sim_warp *w, const sim_seg *s);
/* sim_access_blank_fn: of a worker, whose warp executes the load. */
bool sim_stray_blank(void *worker, const sim_site *s, sim_space space, uint32_t lanes,
                     const uint32_t addr[SIM_WARP_LANES]);
/* The load of w->loaded, this instruction, is over. */
void sim_stray_loaded(sim_warp *w, const ptx_insn *p);
/* The lanes are gone, or return from w->frame. */
void sim_stray_exited(sim_warp *w, uint32_t lanes);
void sim_stray_returned(sim_warp *w, uint32_t lanes);

#endif
