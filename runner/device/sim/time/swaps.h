/* Successful compare-and-swaps, by address, for the time of locks and of retry loops.
 *
 * Two changes of one address are at least the way to L2 and back apart, however many warps and
 * multiprocessors try. The second thread had to read, or be told, what the first had written (a
 * loop of reading and atomicCAS, PTX ISA "atom"), or to wait for the holder of a lock, which gives
 * it back only when its own swap has returned. Blocks run one after another here, so swaps fail at
 * most within a block, and without this a lock between blocks would cost nothing.
 *
 * Failed attempts keep the word busy as well, because L2 takes one lane after another. Their number
 * follows from the number of threads that compete for the word (docs/model-tables.md, "Threads that
 * fight for a word"). */
#ifndef WARPLAB_SWAPS_H
#define WARPLAB_SWAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const void *at;
    uint32_t times;
    uint32_t threads, lanes; /* threads that changed it; lanes of `warp`, the last one to do so */
    uint64_t warp;
    bool opened; /* also changed by an exchange: a lock */
} sim_swap;
/* An empty one is zeroed. One thread uses it. */
typedef struct {
    sim_swap *slots;
    struct {
        uint64_t who; /* warp and slot, 0: free */
        uint32_t lanes;
    } * kept; /* of warps that changed a word before others did: they may come back (swaps.c) */
    uint32_t used, kept_count;
    uint32_t most;    /* the most changes of one address */
    uint32_t threads; /* threads that compete for this address in a loop; 0: a lock */
    uint32_t holders; /* threads that changed it, lock or not */
} sim_swaps;

/* A lane of a warp (a number that is unique in the launch) changed the word at `at`, by a
 * compare-and-swap or (exchange) by an exchange. An exchange counts only after a compare-and-swap:
 * it opens the lock. Addresses beyond the first few thousand are not counted. */
void sim_swaps_note(sim_swaps *s, const void *at, bool exchange, uint64_t warp, unsigned lane);

/* Returns the attempts of retry loops at the slice of L2 that has most of them, if at most
 * `resident` threads are on the device at the same time. A slice takes one request after another.
 * Requests of a warp for the words of a sector count as one: neighbouring words that the same warp
 * changed last. */
double sim_swaps_attempts(const sim_swaps *s, double resident);
/* Returns the successful compare-and-swaps of retry loops, over all words. */
uint64_t sim_swaps_changes(const sim_swaps *s);
/* Returns the attempts of a retry loop in which `threads` threads, all on the device at the same
 * time, change a word `changes` times. */
double sim_swaps_tries(double changes, double threads);
void sim_swaps_free(sim_swaps *s);

#endif
