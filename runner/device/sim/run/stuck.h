/* Detects that no thread can go on (stuck.c). */
#ifndef WARPLAB_SIM_STUCK_H
#define WARPLAB_SIM_STUCK_H

#include "runner/device/sim/machine/state.h"

/* No thread of the block can go on: reports which waits where, and fails the block. */
void sim_deadlock(sim_block *b);
/* The block parks and has not moved. Returns true if its state is the same as before, when `epoch`
 * was the same. */
bool sim_stuck(sim_block *b, uint64_t epoch);
/* Returns a number that is the same if the same lanes have the same values in all registers. */
uint64_t sim_lanes_state(const sim_frag *f);
/* "line 12", or the PTX line if there is no line table. */
void sim_block_place(const sim_block *b, const ptx_insn *at, lib_message *place);

#endif
