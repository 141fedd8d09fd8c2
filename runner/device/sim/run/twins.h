/* Sampled blocks once more, as machine code (module/twin.h), so that the launch is timed by that.
 *
 *   launch begins  sim_twins_begin(): the kernel's twin, a run of its own over caches of its own
 *   sampled block  sim_twins_block(): before the block runs, its twin does, over memory of its own
 *   its commit     sim_twins_commit(): what L2 had for the block it had for the twin; a trace by
 *                  machine instruction
 *   launch ends    sim_twins_trace(): of all sampled blocks, or NULL
 *
 * Results, counters and findings are the program's PTX's, with twins or without. */
#ifndef WARPLAB_SIM_TWINS_H
#define WARPLAB_SIM_TWINS_H

#include "runner/base/message.h"
#include "runner/device/sim/machine/state.h"

/* r->twins, or NULL where the launch has none. Before its first block; after r->trace is made. */
void sim_twins_begin(sim_run_state *r, unsigned workers);
void sim_twins_end(sim_run_state *r);
/* The block has been started on the worker, and runs next. */
void sim_twins_block(sim_run_state *r, const sim_worker *k, sim_block *b);
/* It was committed, in its turn. */
void sim_twins_commit(sim_run_state *r, sim_block *b);
/* *code: what its pcs are of. */
sim_trace *sim_twins_trace(const sim_run_state *r, const time_code **code);
/* Why that is NULL where the kernel has a twin; NULL: memory is out. */
const lib_message *sim_twins_missed(const sim_run_state *r);
/* The launch's line in sim_options.machine_log, and what it says in *res. */
void sim_twins_log(const sim_run_state *r, sim_result *res);

#endif
