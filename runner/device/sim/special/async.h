/* The mbarrier as those who complete transactions on it see it (async.c). */
#ifndef WARPLAB_SIM_ASYNC_H
#define WARPLAB_SIM_ASYNC_H

#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/machine/state.h"

/* An mbarrier by its address, as a bit of the trace's events of bulk copies, of arrivals behind copies and of
 * waits (`distinct`): lanes may have several, and a block too many to tell all apart. */
static inline uint16_t sim_mbarrier_bit(uint64_t at) {
    return (uint16_t)(1u << (at / 8 & 15));
}
/* The offset in its block's shared memory of an address there, which has the block's rank in a cluster. */
static inline uint32_t sim_own_offset(const sim_warp *w, uint32_t at) {
    return w->block->cluster ? sim_shared_offset(at) : at;
}
/* A site for the mbarriers of the current instruction, in shared memory; NULL: memory is out. */
const sim_site *sim_mbarrier_site(sim_decoder *d);
/* `bytes` of a transaction at the mbarrier at `at` in shared memory are done: complete_tx, by a lane. False: the warp has failed. */
bool sim_mbarrier_complete(sim_warp *w, const sim_insn *i, const sim_site *s, unsigned lane,
                           uint32_t at, uint32_t bytes);
/* The mbarrier that the fragment's lanes wait for in their loop: what its phase still misses, and the
 * instruction that waits. NULL: they wait for none. */
const ptx_insn *sim_mbarrier_missing(const sim_warp *w, const sim_frag *f, unsigned *arrivals,
                                     int *bytes);
/* The parity of its phase as it is now; what is no mbarrier has any. */
bool sim_mbarrier_parity(const sim_warp *w, uint32_t at);

#endif
