/* stuck.c: when nobody can go on. */
#ifndef WARPLAB_SIM_STUCK_H
#define WARPLAB_SIM_STUCK_H

#include "runner/device/sim/machine/state.h"

/* Nobody of the block can go on: reports who waits where and fails the block. */
void sim_deadlock(sim_block *b);
/* The block parks and has not moved. True: it stands as it stood before, when `epoch` was the
 * same. */
bool sim_stuck(sim_block *b, uint64_t epoch);
/* The same number when the same lanes hold the same in all registers. */
uint64_t sim_lanes_state(const sim_frag *f);
/* "line 12", or the PTX line where there is no line table. */
void sim_block_place(const sim_block *b, const ptx_insn *at, char *text, size_t n);

#endif
