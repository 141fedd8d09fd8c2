/* Executes the sampled blocks a second time, as machine code (module/twin.h), so that the launch is
 * timed by its machine code.
 *
 *   launch begins  sim_twins_begin(): the kernel's twin, a run of its own over caches of its own
 *   sampled block  sim_twins_block(): before the block runs, its twin does, over memory of its own
 *   its commit     sim_twins_commit(): what L2 had for the block it had for the twin; a trace by
 *                  machine instruction
 *                  with sim_tap_into() and count_machine those of the other blocks run as well
 *   launch ends    sim_twins_timed(): the trace of all sampled blocks, and their code
 *
 * If blocks wait for each other, all are executed before the first of them (sim_twins_first());
 * then nothing is done for single blocks.
 *
 * Results, counters and findings come from the program's PTX, with or without twins. */
#ifndef WARPLAB_SIM_TWINS_H
#define WARPLAB_SIM_TWINS_H

#include "runner/base/message.h"
#include "runner/device/sim/machine/state.h"

/* Somebody asks for machine code of launches. */
bool sim_twins_wanted(const sim_run_state *r);
/* r->twins, or NULL where the launch has none. Before its first block; after r->trace is made. */
void sim_twins_begin(sim_run_state *r, unsigned workers);
void sim_twins_end(sim_run_state *r);
/* Returns the run of all blocks as machine code, which sim_work() must execute with worker 0 before
 * the launch itself; then call sim_twins_ran(). NULL: there is none. */
sim_run_state *sim_twins_first(const sim_run_state *r);
void sim_twins_ran(const sim_run_state *r);
/* The block has been started on the worker, and runs next. */
void sim_twins_block(sim_run_state *r, const sim_worker *k, sim_block *b);
/* A block of either run is about to be committed: translates a twin's trace to machine
 * instructions. */
void sim_twins_by_machine(const sim_run_state *r, sim_block *b);
/* The block was committed in its turn. */
void sim_twins_commit(sim_run_state *r, sim_block *b);
/* What the model of time has of a launch: a trace, and the code to which its pcs refer. */
typedef struct {
    sim_trace *trace;
    const time_code *code;
    time_text text;
} sim_timed;
/* Returns false if the sampled blocks were not executed as machine code. */
bool sim_twins_timed(const sim_run_state *r, sim_timed *out);
/* As sim_lanes(), for the sampled blocks as machine code: the part of 32 lanes by instruction. */
void sim_twins_lanes(const sim_run_state *r, float *by_insn);
/* The head of every sim_twins: its run, and the tap that records the instructions of that run's
 * warps (sim_tap_into()). */
typedef struct {
    const sim_run_state *run;
    struct sim_tap *tap;
} sim_twins_head;
/* Returns whether it is a twin's run. */
static inline bool sim_twins_own(const sim_run_state *r) {
    const sim_twins_head *h = (const sim_twins_head *)(const void *)r->twins;
    return h && h->run == r;
}
/* Returns the tap of a twin's run; NULL for others, and if not wanted. */
static inline struct sim_tap *sim_twins_tap(const sim_run_state *r) {
    const sim_twins_head *h = (const sim_twins_head *)(const void *)r->twins;
    return sim_twins_own(r) ? h->tap : NULL;
}
/* Fills res->machine, of a launch that sim_twins_timed() has. p: what the replay of that gave. */
void sim_twins_count(const sim_run_state *r, const time_places *p, sim_result *res);
/* The launch is in that trace, or res->machine_refusal says why not. */
void sim_twins_tapped(sim_run_state *r, sim_result *res);
/* Executes the block with this place in the launch's order as machine code, over memory of its own,
 * with `by` as the debugger of that run; it needs no sim_twins_begin(). by NULL: only says whether
 * that is possible. Returns false and sets *msg if it is not; true and *msg: why the block ended
 * before its exit. A sim_debug_machine_run (debug/hook.h). */
bool sim_twins_debugged(sim_run_state *r, uint64_t order, struct sim_debug *by, lib_message *msg);
/* Returns why sim_twins_timed() has nothing although the kernel has a twin, or why a launch that
 * ended with `status` has no such time. NULL: memory is out. */
const lib_message *sim_twins_missed(const sim_run_state *r, sim_status status);
/* Writes the launch's line in sim_options.machine_log, and its facts into *res. */
void sim_twins_log(const sim_run_state *r, sim_result *res);

#endif
