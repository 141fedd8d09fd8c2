/* devlib.c, device_runtime.c: functions that the CUDA runtime gives device code. */
#ifndef WARPLAB_SIM_DEVLIB_H
#define WARPLAB_SIM_DEVLIB_H

#include "runner/device/sim/machine/state.h"

typedef void sim_builtin_fn(sim_warp *w, const sim_insn *i);
sim_builtin_fn *sim_builtin(const char *name); /* NULL: there is none */
/* Whether what a function of the CUDA runtime does depends on the order of blocks. */
bool sim_builtin_ordered(const char *name);
/* Whether it launches kernels, or issues copies; whether it writes where a pointer points. */
bool sim_builtin_launches(const char *name);
bool sim_builtin_writes(const char *name);
/* Whether it gives the calling thread memory. */
bool sim_builtin_allocates(const char *name);
/* n bytes at a generic address, as lane l sees it (devlib.c). */
bool sim_builtin_read(sim_warp *w, unsigned l, uint64_t a, void *to, uint32_t n);

/* ---- device_runtime.c: what a kernel launches */
sim_builtin_fn *sim_device_runtime(const char *name); /* NULL: there is none */
/* Of one launch, which may ask for `most`; NULL: no memory. */
sim_asked *sim_asked_new(sim_device *d, unsigned most);
/* What was asked for, to be freed with sim_children_free(). */
sim_child *sim_asked_take(sim_asked *a, size_t *n);
void sim_asked_free(sim_asked *a);

/* Argument k of the active lanes, `bytes` each; and the result (call_args.c). */
void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes);
void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes);

#endif
