/* Where a kernel reads a clock: how long a warp waits for loaded values.
 *
 *   warp.c: each instruction of such a warp --sim_wait_for()--> w->late, if it reads a value that
 *           has not arrived yet; a load or an atomic --sim_wait_begin()--> w->pending
 *   exec_clock.inc: the block's clock + w->late --> what the kernel reads
 *
 * A value arrives one latency of its level after the issue of its load began. L2's latency stands
 * for everything that L1 does not have: which values come from DRAM is known only when the block is
 * committed. */
#ifndef WARPLAB_SIM_WAIT_H
#define WARPLAB_SIM_WAIT_H

#include "runner/device/sim/machine/state.h"

/* The PTX instruction is about to be executed; `behind` instructions of its segment follow it. */
void sim_wait_for(sim_warp *w, const ptx_insn *p, uint32_t behind);
/* The instruction has been executed, and its access was the worker's last one. */
void sim_wait_begin(sim_warp *w, const ptx_insn *p, uint32_t behind);
/* Segment s is about to be executed. In a loop that only waits for a clock, time passes: after 64
 * of its segments, the warp's clock advances each time by a 32nd of what it has waited there. So a
 * wait takes hundreds of rounds instead of millions, and ends later by at most that part. */
void sim_wait_idle(sim_warp *w, const sim_seg *s);
/* The block's warps of took[], by warp, go on together: their clocks are set to the same time. */
void sim_wait_together(sim_block *b, const uint32_t *took);

#endif
