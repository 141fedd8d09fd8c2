/* The place of a block in its cluster, and the cluster's barrier (cluster_barrier.c). */
#ifndef WARPLAB_SIM_CLUSTER_H
#define WARPLAB_SIM_CLUSTER_H

#include "runner/device/sim/machine/state.h"

/* Finds the place in the grid and in the cluster of the block whose place in the launch's order is
 * `order`. */
void sim_cluster_place(const sim_run_state *r, uint64_t order, unsigned grid[3], unsigned in[3]);
/* Fragment c of the warp arrives at the cluster's barrier, or waits there. Returns true if it goes
 * on, at its next segment. */
bool sim_cluster_barrier(sim_warp *w, uint32_t c, const sim_insn *i);
/* Lanes of the warp have exited: the cluster's barrier may open. */
void sim_cluster_exited(sim_warp *w, uint32_t lanes);
/* Returns whether threads of the block wait at the cluster's barrier. */
bool sim_cluster_waits(const sim_block *b);

#endif
