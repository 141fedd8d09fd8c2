/* What a warp waits for, where its kernel reads a clock: loaded values, until they are there.
 *
 *   warp.c: each instruction of such a warp --sim_wait_for()--> w->late, if it reads a value that
 *           is still on its way; a load or an atomic --sim_wait_begin()--> w->pending
 *   exec_clock.inc: the block's clock + w->late --> what the kernel reads
 *
 * A value is there its level's latency after its load began to be issued. L2's stands for all that
 * L1 does not have: what comes from DRAM is known only when the block is committed. */
#ifndef WARPLAB_SIM_WAIT_H
#define WARPLAB_SIM_WAIT_H

#include "runner/device/sim/machine/state.h"

/* The PTX instruction is about to be executed; `behind` of its segment stand behind it. */
void sim_wait_for(sim_warp *w, const ptx_insn *p, uint32_t behind);
/* It has been executed, and its access was the worker's last one. */
void sim_wait_begin(sim_warp *w, const ptx_insn *p, uint32_t behind);
/* Segment s is about to be executed. In a loop that waits for a clock alone time passes: after 64
 * segments of it the warp's clock goes on by a 32nd of what it has waited there, each time. So a
 * wait takes hundreds of rounds, not millions, and ends at most that much late. */
void sim_wait_idle(sim_warp *w, const sim_seg *s);
/* The block's warps of took[], by warp, go on together: none of them is ahead of another. */
void sim_wait_together(sim_block *b, const uint32_t *took);

#endif
