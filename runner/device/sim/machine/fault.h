/* How a handler says that its instruction cannot go on (fault.c); it knows of warps, so that nobody
 * has to call upwards. */
#ifndef WARPLAB_SIM_FAULT_H
#define WARPLAB_SIM_FAULT_H

#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/sim.h"

/* The launch cannot go on: records the status and stops the block. */
void sim_fail(sim_warp *w, sim_status status);
/* The same with a finding about the instruction and the first of `lanes`. */
void sim_report(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_finding_kind kind,
                const char *detail);
void sim_fail_at(sim_warp *w, const ptx_insn *at, uint32_t lanes, sim_status status,
                 sim_finding_kind kind, const char *detail);
/* A memory instruction did not go through for all its lanes. */
void sim_memory_fault(sim_warp *w);

#endif
