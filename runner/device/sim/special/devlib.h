/* Functions that the CUDA runtime offers device code (devlib.c, device_runtime.c). */
#ifndef WARPLAB_SIM_DEVLIB_H
#define WARPLAB_SIM_DEVLIB_H

#include "runner/device/sim/machine/state.h"

typedef void sim_builtin_fn(sim_warp *w, const sim_insn *i);
sim_builtin_fn *sim_builtin(const char *name); /* NULL: there is none */
/* Returns whether the effect of a function of the CUDA runtime depends on the order of blocks. */
bool sim_builtin_ordered(const char *name);
/* Returns whether it launches kernels or issues copies; whether it writes through a pointer. */
bool sim_builtin_launches(const char *name);
bool sim_builtin_writes(const char *name);
/* Returns whether it gives memory to the calling thread. */
bool sim_builtin_allocates(const char *name);
/* Reads n bytes at a generic address, as lane l sees it (devlib.c). */
bool sim_builtin_read(sim_warp *w, unsigned l, uint64_t a, void *to, uint32_t n);

/* ---- device_runtime.c: launches of a kernel */
sim_builtin_fn *sim_device_runtime(const char *name); /* NULL: there is none */
/* For one launch, which may make `most` requests; NULL: memory is out. */
sim_asked *sim_asked_new(sim_device *d, unsigned most);
/* Returns the requests; free them with sim_children_free(). */
sim_child *sim_asked_take(sim_asked *a, size_t *n);
void sim_asked_free(sim_asked *a);

/* Argument k of the active lanes, `bytes` each; and the result (call_args.c). */
void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes);
void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes);

#endif
