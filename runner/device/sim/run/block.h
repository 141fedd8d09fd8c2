/* Blocks (block.c) and their barriers (barrier.c). */
#ifndef WARPLAB_SIM_BLOCK_H
#define WARPLAB_SIM_BLOCK_H

#include "runner/device/sim/machine/state.h"

sim_block *sim_block_new(sim_run_state *r);
/* Shared memory of a block with `own` bytes of its own; with what the system reserves, if the
 * kernel asks where that is: multi-warp tiles of cooperative groups work there. */
uint32_t sim_shared_room(const sim_profile *p, const sim_image *im, uint32_t own);
uint64_t sim_block_bytes(const sim_run_state *r); /* that a context takes, about */
void sim_block_free(sim_block *b);
void sim_blocks_free(sim_block *first); /* a list by `next` */
/* Starts the block with this place in the launch's order. b->cluster and b->rank are already set if
 * there are clusters. */
void sim_block_start(sim_block *b, sim_worker *k, uint64_t order);
typedef enum {
    SIM_BLOCK_ENDED,
    SIM_BLOCK_PARKED,
    SIM_BLOCK_TURN,  /* it took a number from a counter: the others' turn (sim_run_state.shares) */
    SIM_BLOCK_WAITS, /* at the cluster's barrier */
    SIM_BLOCK_FAILED
} sim_block_ran;
sim_block_ran sim_block_run(sim_block *b, sim_worker *k);
/* The fragment's lanes arrive at a barrier. Returns true if this opened it and released all that
 * waited. */
bool sim_block_arrive(sim_block *b, sim_warp *w, sim_frag *f, const sim_insn *i);
/* Lanes of the block have exited: barriers may open. */
void sim_block_exited(sim_block *b, uint32_t lanes);

#endif
