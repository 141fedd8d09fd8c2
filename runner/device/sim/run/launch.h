/* Executes a launch: the functions that run.c, which controls the whole launch, calls in this room.
 *
 *   sim_run() (run.c): launch --pool.c--> workers: block after block (work.c, block.c)
 *                             --> warp after warp (warp.c) --> handlers (exec, special)
 *     counts of segments and memory sites --count.c--> counters of the launch and of source lines
 *
 * In: a sim_launch (sim.h), a kernel's image (machine/image.h). Out: a sim_result, and the changes
 * of device memory. All files work on the state of machine/state.h. */
#ifndef WARPLAB_SIM_LAUNCH_H
#define WARPLAB_SIM_LAUNCH_H

#include "runner/device/sim/machine/state.h"

/* cluster.c: takes, runs and commits blocks until there are none left; the fn of sim_pool_run(). */
void sim_work(void *run, unsigned index);
/* count.c: the counters of the launch and of source lines. Returns false if memory is out. */
bool sim_collect(const sim_run_state *r, sim_result *res);
/* Computes the part of 32 lanes that was active when an instruction was executed, by pc (trace.h):
 * one number for each instruction of the module, 0 if it was not executed. */
void sim_lanes(const sim_run_state *r, float *by_pc);
/* sample.c: how long blocks take whose warps wait for nothing but results and each other. compares:
 * also counts the sampled blocks' segments, for sim_result.unlike. */
void sim_sample_begin(sim_run_state *r, bool compares);
/* called in the order in which blocks are committed */
void sim_sample_block(sim_run_state *r, const sim_block *b);
/* Returns the multiprocessor that had the most work in an earlier launch of the kernel with this
 * geometry; -1: not known. */
int sim_sample_busiest(const sim_run_state *r);
/* Returns the cycles of the launch's longest block, before whose end the launch cannot end. The
 * replay ran the first `blocks` of the trace, and the longest of them took `replayed` cycles. */
double sim_sample_longest(const sim_run_state *r, double replayed, unsigned blocks);
/* The counters are known by then. time_us: the launch's by its sampled blocks. */
double sim_sample_unlike(sim_run_state *r, const sim_counters *c, double time_us);

#endif
