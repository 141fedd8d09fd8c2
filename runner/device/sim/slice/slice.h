/* Finds out which instructions of a launch lead to which of its stores (sim_launch.stored):
 * slice.c. */
#ifndef WARPLAB_SIM_SLICE_H
#define WARPLAB_SIM_SLICE_H

#include "runner/device/sim/machine/state.h"

typedef struct sim_slicing sim_slicing;
/* Call it when all blocks have ended. Tells what was stored, and finds the slices. NULL: they are
 * not known. */
sim_slicing *sim_slicing_new(const sim_run_state *r);
void sim_slicing_free(sim_slicing *s);
/* Returns the stores to which instruction `insn` of f leads (sim_slice.stores), or to which an
 * instruction at the site's line leads. */
uint64_t sim_slicing_insn(const sim_slicing *s, const sim_func *f, size_t insn);
uint64_t sim_slicing_site(const sim_slicing *s, const sim_site *site);
/* Adds counts of an instruction that leads to `stores`. */
void sim_slicing_count(sim_slicing *s, uint64_t stores, const sim_counters *c);
/* Returns the counts, malloc'ed, *n of them. NULL: memory is short. */
sim_slice *sim_slicing_take(sim_slicing *s, size_t *n);

#endif
