/* The hooks that run/ calls while it executes a launch with a debugger. They cost little where
 * nothing can stop. */
#ifndef WARPLAB_SIM_DEBUG_HOOK_H
#define WARPLAB_SIM_DEBUG_HOOK_H

#include "runner/device/sim/debug/debug.h"
#include "runner/device/sim/machine/state.h"

/* The head of every sim_debug. */
typedef struct {
    uint64_t tick;         /* warp instructions executed so far */
    uint64_t wake;         /* from here on, each instruction is checked */
    uint8_t *const *marks; /* by function, then by PTX instruction: SIM_MARK_* */
    size_t findings;       /* seen in this run */
    uint8_t look;          /* the SIM_MARK_* that matter now */
    bool machine;          /* it watches a block that is executed as machine code (machine.c) */
} sim_debug_hot;
enum { SIM_MARK_BREAK = 1, SIM_MARK_WRITE = 2 };
enum { SIM_DEBUG_PAUSE_EACH = 1 << 16 };

/* A launch is about to be executed for the first time. The launch that is executed is its copy of
 * `l`. */
void sim_debug_begin(sim_debug *d, sim_device *device, const sim_launch *l, sim_launch *mine);
/* How run/ executes a block as machine code: sim_twins_debugged() (run/twins.h). With `by` NULL it
 * only says whether it can. False and *msg: it cannot. True and *msg: why the block ended before
 * its exit. */
typedef bool sim_debug_machine_run(sim_run_state *r, uint64_t block, sim_debug *by,
                                   lib_message *msg);
/* A run of the launch begins. Returns false if memory is out. */
bool sim_debug_run_begins(sim_debug *d, sim_run_state *r, sim_debug_machine_run *machine);
/* A block is about to execute its first instruction. */
void sim_debug_block_begins(sim_debug *d, const sim_block *b);
/* Its blocks have ended; nothing is freed yet. */
void sim_debug_run_ended(sim_debug *d, sim_run_state *r, sim_status status);
/* A run has ended, or has not begun, with this status. Returns true if the launch must be executed
 * again; memory is then as before it. */
bool sim_debug_again(sim_debug *d, sim_status status);
void sim_debug_end(sim_debug *d);

/* Returns false if the warp stops. */
bool sim_debug_look(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn);
bool sim_debug_found(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn);
/* Lanes of the warp have exited. */
void sim_debug_exited(sim_debug *d, sim_warp *w, uint32_t lanes);

/* Called before w->mask executes PTX instruction `insn` of fn. */
static inline bool sim_debug_before(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn) {
    sim_debug_hot *h = (sim_debug_hot *)(void *)d;
    bool look = h->tick >= h->wake || h->marks[fn->index][insn] & h->look ||
                h->tick % SIM_DEBUG_PAUSE_EACH == 0;
    if (look && !sim_debug_look(d, w, fn, insn)) return false;
    h->tick++;
    return true;
}
/* Called after it. */
static inline bool sim_debug_after(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn) {
    sim_debug_hot *h = (sim_debug_hot *)(void *)d;
    sim_access_flush(w->access);
    if (sim_findings_count(w->block->run->findings) == h->findings) return true;
    return sim_debug_found(d, w, fn, insn);
}

#endif
