/* Runs a grid block after block. cluster.c, which runs it cluster after cluster, uses parts of
 * this. */
#ifndef WARPLAB_SIM_WORK_H
#define WARPLAB_SIM_WORK_H

#include "runner/device/sim/machine/state.h"

/* Takes, runs and commits blocks until there are none left. */
void sim_work_blocks(sim_run_state *r, sim_worker *k);
/* Returns a context for a block of the worker, kept or new. NULL: memory is out. */
sim_block *sim_work_context(sim_run_state *r, sim_worker *k);
void sim_work_give_back(sim_run_state *r, sim_block *const block[], unsigned n);
/* Ends the launch because memory is out. */
void sim_work_no_memory(sim_run_state *r);
/* Returns which of n blocks or warps, n >= 1, has the i-th turn, if the order is drawn from `draw`;
 * 0: by number. */
static inline uint64_t sim_turn(uint64_t draw, uint64_t i, uint64_t n) {
    if (!draw) return i;
    uint64_t at = (draw >> 1) % n + (draw & 1 ? n - i : i);
    return at < n ? at : at - n;
}
/* Hands out n blocks; *order: the place of the first. Returns false if none are left, or they need
 * not run. */
bool sim_work_take(sim_run_state *r, unsigned n, uint64_t *order);
/* Many blocks have ended and are kept for one before them, which has not. */
bool sim_work_backlog(sim_run_state *r);
/* A block parks. True: it and all others go round in loops that nobody will end. */
bool sim_work_all_stuck(sim_run_state *r, sim_block *b);
/* Called when the block's last warp has ended, when it has failed, or when it is given up with
 * status SIM_OK. */
void sim_work_end(sim_run_state *r, sim_block *b);
void sim_work_fail(sim_run_state *r, sim_block *b);

#endif
