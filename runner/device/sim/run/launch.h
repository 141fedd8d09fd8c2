/* A launch is executed: what run.c, which has it as a whole, leaves to others of this room.
 *
 *   sim_run() (run.c): launch --pool.c--> workers: block after block (work.c, block.c)
 *                             --> warp after warp (warp.c) --> handlers (exec, special)
 *     counts of segments and memory sites --count.c--> counters of the launch and of source lines
 *
 * In: a sim_launch (sim.h), a kernel's image (machine/image.h). Out: a sim_result, and what the
 * launch changed in device memory. The state that all work on is machine/state.h's. */
#ifndef WARPLAB_SIM_LAUNCH_H
#define WARPLAB_SIM_LAUNCH_H

#include "runner/device/sim/machine/state.h"

/* cluster.c: takes, runs and commits blocks until there are none; fn of sim_pool_run(). */
void sim_work(void *run, unsigned index);
/* count.c: the counters of the launch and of source lines. False: memory is out. */
bool sim_collect(const sim_run_state *r, sim_result *res);
/* Of 32 lanes, the part that was on when an instruction was executed: by pc (trace.h), as many as
 * the module has instructions; 0 of what was not. */
void sim_lanes(const sim_run_state *r, float *by_pc);
/* sample.c: the sampled blocks' segments are counted, for sim_result.unlike of the launch, whose
 * counters and time are known by then. */
void sim_sample_begin(sim_run_state *r);
/* in the order in which they are committed */
void sim_sample_block(sim_run_state *r, const sim_block *b);
/* The multiprocessor that had most to do in such a launch of the kernel before; -1: not known. */
int sim_sample_busiest(const sim_run_state *r);
double sim_sample_unlike(sim_run_state *r, const sim_counters *c, double time_us);

#endif
