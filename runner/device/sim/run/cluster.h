/* Where a block is in its cluster, and the cluster's barrier (cluster_barrier.c). */
#ifndef WARPLAB_SIM_CLUSTER_H
#define WARPLAB_SIM_CLUSTER_H

#include "runner/device/sim/machine/state.h"

/* Where the block whose place in the launch's order is `order` lies in the grid, and in its
 * cluster. */
void sim_cluster_place(const sim_run_state *r, uint64_t order, unsigned grid[3], unsigned in[3]);
/* Fragment c of the warp arrives at the cluster's barrier, or waits there. True: it goes on, at its
 * next segment. */
bool sim_cluster_barrier(sim_warp *w, uint32_t c, const sim_insn *i);
/* Lanes of the warp exited: the cluster's barrier may open. */
void sim_cluster_exited(sim_warp *w, uint32_t lanes);
/* Threads of the block wait at the cluster's barrier. */
bool sim_cluster_waits(const sim_block *b);

#endif
