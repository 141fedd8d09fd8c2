/* Compare-and-swaps that found what they compared with, by address: for the time of locks and of
 * retry loops.
 *
 * Two that change one address follow each other by at least the way to L2 and back, however many
 * warps and multiprocessors try: the second had to read, or be told, what the first had written (a
 * loop of reading and atomicCAS, PTX ISA "atom"), or to wait for the holder of a lock, who gives it
 * back only when his own has returned. Blocks run one after another here, so nobody ever fails, and
 * without this a lock would cost nothing.
 *
 * Attempts that fail keep the word busy as well: L2 takes one lane after another. How many there
 * are follows from how many threads fight for the word (docs/model-tables.md, "Threads that fight
 * for a word"). */
#ifndef WARPLAB_SWAPS_H
#define WARPLAB_SWAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const void *at;
    uint32_t times;
    uint32_t threads, lanes; /* that changed it; those of `warp`, the last one seen */
    uint64_t warp;
    bool opened; /* by an exchange: a lock */
} sim_swap;
/* Zeroed: empty. One thread's. */
typedef struct {
    sim_swap *slots;
    uint32_t used;
    uint32_t most;    /* times that one address was changed */
    uint32_t threads; /* that fight for that one in a loop; 0: a lock */
    uint32_t holders; /* that changed it, lock or not */
} sim_swaps;

/* The word at `at` was changed by a lane of a warp, whose number is its own in the launch: by a
 * compare-and-swap, or (exchange) by an exchange, which counts only where a compare-and-swap came
 * before: it opens the lock. Addresses beyond the first few thousand are not counted. */
void sim_swaps_note(sim_swaps *s, const void *at, bool exchange, uint64_t warp, unsigned lane);

/* Attempts of retry loops that go to one slice of L2, the most that one has, when at most
 * `resident` threads are on the device at once. A slice takes one request after another, those of a
 * warp for the words of a sector together: neighbouring words that were last changed by one
 * warp. */
double sim_swaps_attempts(const sim_swaps *s, double resident);
/* Compare-and-swaps of retry loops that changed a word, of all words. */
uint64_t sim_swaps_changes(const sim_swaps *s);
/* Attempts of a retry loop in which `threads` of those that change a word, all at once on the
 * device, change it `changes` times. */
double sim_swaps_tries(double changes, double threads);
void sim_swaps_free(sim_swaps *s);

#endif
