/* Going through a grid block after block, and what of that going through it cluster after cluster
 * (cluster.c) needs. */
#ifndef WARPLAB_SIM_WORK_H
#define WARPLAB_SIM_WORK_H

#include "runner/device/sim/machine/state.h"

/* Takes, runs and commits blocks until there are none. */
void sim_work_blocks(sim_run_state *r, sim_worker *k);
/* A context for a block of the worker, kept or new. NULL: memory is out. */
sim_block *sim_work_context(sim_run_state *r, sim_worker *k);
void sim_work_give_back(sim_run_state *r, sim_block *const block[], unsigned n);
/* The launch ends because there was none. */
void sim_work_no_memory(sim_run_state *r);
/* Of n blocks or warps, n >= 1, the i-th to have its turn, where the order is drawn from `draw`; 0:
 * by number. */
static inline uint64_t sim_turn(uint64_t draw, uint64_t i, uint64_t n) {
    if (!draw) return i;
    uint64_t at = (draw >> 1) % n + (draw & 1 ? n - i : i);
    return at < n ? at : at - n;
}
/* n blocks are handed out; *order: the first one's place. False: there are no more,
 * or they need not run. */
bool sim_work_take(sim_run_state *r, unsigned n, uint64_t *order);
/* A block parks. True: it and all others go round in loops that nobody will end. */
bool sim_work_all_stuck(sim_run_state *r, sim_block *b);
/* Its last warp has ended; it has failed, or been given up with status SIM_OK. */
void sim_work_end(sim_run_state *r, sim_block *b);
void sim_work_fail(sim_run_state *r, sim_block *b);

#endif
