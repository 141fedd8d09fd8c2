/* The mbarrier, for instructions that complete transactions on it (async.c). */
#ifndef WARPLAB_SIM_ASYNC_H
#define WARPLAB_SIM_ASYNC_H

#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/machine/state.h"

/* Returns a bit for an mbarrier, from its address. The trace's events of bulk copies, of arrivals
 * after copies and of waits (`distinct`) use it: lanes may use several, and a block may have too
 * many to tell them all apart. */
static inline uint16_t sim_mbarrier_bit(uint64_t at) {
    return (uint16_t)(1u << (at / 8 & 15));
}
/* Returns the offset in its block's shared memory of an address there; in a cluster the address
 * contains the block's rank. */
static inline uint32_t sim_own_offset(const sim_warp *w, uint32_t at) {
    return w->block->cluster ? sim_shared_offset(at) : at;
}
/* Makes a site for the mbarriers of the current instruction, in shared memory. Returns NULL if
 * memory is out. */
const sim_site *sim_mbarrier_site(sim_decoder *d);
/* A lane completes `bytes` of a transaction (complete_tx) at the mbarrier at `at` in shared memory.
 * Returns false if the warp has failed. */
bool sim_mbarrier_complete(sim_warp *w, const sim_insn *i, const sim_site *s, unsigned lane,
                           uint32_t at, uint32_t bytes);
/* Finds the mbarrier for which the fragment's lanes wait in their loop: what its phase still
 * misses, and the instruction that waits. Returns NULL if they wait for none. */
const ptx_insn *sim_mbarrier_missing(const sim_warp *w, const sim_frag *f, unsigned *arrivals,
                                     int *bytes);
/* Returns the parity of its present phase; any value if it is not an mbarrier. */
bool sim_mbarrier_parity(const sim_warp *w, uint32_t at);

#endif
