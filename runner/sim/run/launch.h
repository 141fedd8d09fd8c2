/* What run.c, which has the launch as a whole, leaves to others. */
#ifndef WARPLAB_SIM_LAUNCH_H
#define WARPLAB_SIM_LAUNCH_H

#include "runner/sim/run/run.h"

/* work.c: takes, runs and commits blocks until there are none; fn of sim_pool_run(). */
void sim_work(void *run, unsigned index);
/* count.c: the counters of the launch and of source lines. False: memory is out. */
bool sim_collect(const sim_run_state *r, sim_result *res);

#endif
