/* How a handler reports that its instruction cannot continue (fault.c). It knows of warps, so that
 * no room has to call the rooms above it. */
#ifndef WARPLAB_SIM_FAULT_H
#define WARPLAB_SIM_FAULT_H

#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/sim.h"

/* Records the status and stops the block: the launch cannot continue. */
void sim_fail(sim_warp *w, sim_status status);
/* The same, with a finding about the instruction and the first of `lanes`. */
void sim_report(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_finding_kind kind,
                lib_words detail);
void sim_fail_at(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_status status,
                 sim_finding_kind kind, lib_words detail);
/* A memory instruction has failed for some of its lanes. */
void sim_memory_fault(sim_warp *w);

#endif
