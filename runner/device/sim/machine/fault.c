/* Failures: an instruction cannot continue, so its block fails and the launch ends with its
 * status. */
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/machine/state.h"

void sim_fail(sim_warp *w, sim_status status) {
    w->stop = true;
    sim_block *b = w->block;
    if (b->failed) return;
    b->failed = true;
    b->status = status;
}

void sim_report(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_finding_kind kind,
                lib_words detail) {
    sim_event e = {.kind = kind,
                   .block = w->block->linear,
                   .detail = &detail,
                   .count = (unsigned)__builtin_popcount(lanes)};
    if (at) e.loc = at->loc, e.ptx_line = at->ptx_line;
    e.thread = w->index * SIM_WARP_LANES + (lanes ? (unsigned)__builtin_ctz(lanes) : 0);
    sim_finding_report(w->block->run->findings, &e);
}

void sim_fail_at(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_status status,
                 sim_finding_kind kind, lib_words detail) {
    sim_report(w, at, lanes, kind, detail);
    sim_fail(w, status);
}

void sim_memory_fault(sim_warp *w) {
    sim_status s = sim_access_fault(w->access);
    sim_fail(w, s == SIM_OK ? SIM_ILLEGAL_ADDRESS : s);
}
