/* Undefined values.
 *
 *   a shuffle reads a lane that takes no part in it: one that is not in its mask, has exited or
 *     never existed (PTX ISA, shfl.sync: undefined)   sync.c --sim_stray_sync()--.
 *   a load reads shared or local memory that was never written                   |
 *     access/ --sim_stray_blank()--> the segment's loop stops after it           |
 *     warp.c --sim_stray_loaded()------------------------------------------------+--> w->stray:
 *                                                                          registers, lanes
 *   warp.c: each instruction of a warp that has some --sim_stray_step(), sim_stray_end()--> to
 *     other registers, or a finding
 *
 * Reading an undefined value is no fault. The upper lanes of a reduction do so, and so do threads
 * that read the unfilled tail of a tile, put it back, and throw the result away. A finding is
 * reported if a thread stores the value in global memory, gives it to an atomic, or uses it as an
 * address. Shared memory counts as never written if such a value of a load is stored there
 * unchanged; a value that comes from a shuffle is reported at the store.
 *
 * A value of a shuffle is lost, and never reported, once it goes through local memory, a call or a
 * branch. A value of a load is reported where it goes to local memory, a call, another warp's or
 * lane's vote, a matrix product, or anything else that is not plain arithmetic. Lanes that branch
 * on such a value are swayed until the paths meet again: the registers that they write meanwhile
 * hold undefined values, and their stores are reported. If more values are followed than there is
 * room for, a load is reported at once. Not detected: a lane would have written a register on the
 * path that it did not take. */
#ifndef WARPLAB_SIM_STRAY_H
#define WARPLAB_SIM_STRAY_H

#include "runner/device/sim/machine/state.h"

/* w->mask is about to execute the shuffle or another .sync instruction. */
void sim_stray_sync(sim_warp *w, const sim_insn *i);
/* w->mask is about to execute the PTX instruction; w->strays is not 0. */
void sim_stray_step(sim_warp *w, const ptx_insn *p);
/* The instruction is over; w->stray->parked are lanes of it. */
void sim_stray_parked(sim_warp *w, const sim_insn *i);
/* The same for the instruction that ends the segment, except .sync ones. */
void sim_stray_end(sim_warp *w, const sim_insn *i);
/* w->mask is about to execute the segment; w->strays is not 0. */
void sim_stray_arrive(sim_warp *w, const sim_seg *s);
/* sim_access_blank_fn of a worker whose warp executes the load. */
bool sim_stray_blank(void *worker, const sim_site *s, sim_space space, uint32_t lanes,
                     const uint32_t addr[SIM_WARP_LANES]);
/* This instruction, the load of w->loaded, is over. */
void sim_stray_loaded(sim_warp *w, const ptx_insn *p);
/* The lanes have exited, or return from w->frame. */
void sim_stray_exited(sim_warp *w, uint32_t lanes);
void sim_stray_returned(sim_warp *w, uint32_t lanes);

#endif
