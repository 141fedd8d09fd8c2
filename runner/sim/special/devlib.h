/* devlib.c: functions that the CUDA runtime gives device code. */
#ifndef WARPLAB_SIM_DEVLIB_H
#define WARPLAB_SIM_DEVLIB_H

#include "runner/sim/machine/state.h"

typedef void sim_builtin_fn(sim_warp *w, const sim_insn *i);
sim_builtin_fn *sim_builtin(const char *name); /* NULL: there is none */
/* Whether what a function of the CUDA runtime does depends on the order of blocks. */
bool sim_builtin_ordered(const char *name);
/* Argument k of the active lanes, `bytes` each; and the result (call_args.c). */
void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes);
void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes);

#endif
