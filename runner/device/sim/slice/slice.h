/* Finds out which instructions and threads of a launch lead to which of its stores
 * (sim_launch.stored): slice.c, crew.c. */
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
/* Adds the threads and blocks of all workers, by the stores to which what they left leads. */
void sim_slicing_crews(sim_slicing *s);
/* Returns the counts, malloc'ed, *n of them. NULL: memory is short. */
sim_slice *sim_slicing_take(sim_slicing *s, size_t *n);

/* The threads of blocks, by the marks (sim_seg.mark) that they passed: crew.c. One for each worker;
 * the caller frees it. NULL: memory is out, and nothing is known of these threads. */
typedef struct sim_crews sim_crews;
sim_crews *sim_crews_new(void);
void sim_crews_add(sim_crews *c, const sim_block *b); /* the block has ended */
/* Calls fn for each set of marks, one bit each, with its threads, and the blocks whose threads
 * passed just these together. Returns false if some are not known. */
typedef void sim_crew_each(void *user, uint64_t marks, uint64_t threads, uint64_t blocks);
bool sim_crews_each(const sim_crews *c, sim_crew_each *fn, void *user);

#endif
