/* Stores that other threads do not see yet.
 *
 * A volatile or relaxed store of one thread and a later one to another word may be seen in either
 * order, unless causality orders them: a fence, a release or a barrier between them (PTX ISA,
 * Memory Consistency Model: "Release and Acquire Patterns", "Causality Order"; Lustig et al., A
 * Formal Analysis of the NVIDIA PTX Memory Consistency Model, ASPLOS 2019). The simulated device
 * stores at once, and keeps here, for a drawn half of such stores, what lay there before:
 *
 *   volatile, relaxed store --sim_late_store()--> memory; the bytes before, for a number of loads
 *   volatile, relaxed load  --sim_late_load()---> those bytes, until that number is used up, or
 *                                                 a release of the writer's orders them
 *   atomic                  --sim_late_drop()---> it and all later loads see the newest
 *
 * Who has seen a store sees no older value of the word. An access of up to 8 bytes is seen as a
 * whole. The table has a fixed size: the newest stores remain. */
#ifndef WARPLAB_SIM_LATE_H
#define WARPLAB_SIM_LATE_H

#include <stdbool.h>
#include <stdint.h>

/* Who stores or loads. */
typedef struct {
    uint64_t block;
    uint32_t warp;
    uint32_t barriers; /* of the block so far */
} sim_late_thread;

typedef struct sim_late sim_late;
/* Of a launch of so many blocks, of so many warps each. draw: decides which stores are late. NULL:
 * memory is short. Any thread may use it. */
sim_late *sim_late_new(uint64_t draw, uint64_t blocks, unsigned warps);
void sim_late_free(sim_late *l);
/* A fence or a release: what the warp has stored is late no more; for other blocks, what any warp
 * of its block has, because what one thread publishes others may have stored before a barrier. */
void sim_late_release(sim_late *l, uint64_t block, unsigned warp);

/* One access of a warp: between these two all of its lanes are told. */
void sim_late_begin(sim_late *l);
void sim_late_end(sim_late *l);
/* `bytes` (1, 2, 4 or 8, and `at` a multiple of them) are about to be stored, and hold `was`. */
void sim_late_store(sim_late *l, const sim_late_thread *who, uint64_t at, unsigned bytes,
                    uint64_t was);
/* They were loaded: *value becomes what the thread sees of them. Whether that is an older value. */
bool sim_late_load(sim_late *l, const sim_late_thread *who, uint64_t at, unsigned bytes,
                   uint64_t *value);
/* Everybody sees these bytes as they are. */
void sim_late_drop(sim_late *l, uint64_t at, unsigned bytes);

#endif
