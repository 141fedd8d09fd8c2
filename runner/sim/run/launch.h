/* What run.c, which has the launch as a whole, leaves to others. */
#ifndef WARPLAB_SIM_LAUNCH_H
#define WARPLAB_SIM_LAUNCH_H

#include "runner/sim/run/run.h"

/* work.c: takes, runs and commits blocks until there are none; fn of sim_pool_run(). */
void sim_work(void *run, unsigned index);
/* count.c: the counters of the launch and of source lines. False: memory is out. */
bool sim_collect(const sim_run_state *r, sim_result *res);
/* Of 32 lanes, the part that was on when an instruction was executed: by pc (trace.h), as many as
 * the module has instructions; 0 of what was not. */
void sim_lanes(const sim_run_state *r, float *by_pc);

#endif
