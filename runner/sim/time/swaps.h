/* Compare-and-swaps that found what they compared with, by address: for the time of locks and of
 * retry loops.
 *
 * Two that change one address follow each other by at least the way to L2 and back, however many
 * warps and multiprocessors try: the second had to read, or be told, what the first had written (a
 * loop of reading and atomicCAS, PTX ISA "atom"), or to wait for the holder of a lock, who gives it
 * back only when his own has returned. Blocks run one after another here, so nobody ever fails, and
 * without this a lock would cost nothing. */
#ifndef WARPLAB_SWAPS_H
#define WARPLAB_SWAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const void *at;
    uint32_t times;
} sim_swap;
/* Zeroed: empty. One thread's. */
typedef struct {
    sim_swap *slots;
    uint32_t used;
    uint32_t most; /* times that one address was changed */
} sim_swaps;

/* The word at `at` was changed: by a compare-and-swap, or (exchange) by an exchange, which counts
 * only where a compare-and-swap came before: it opens the lock. Addresses beyond the first few
 * thousand are not counted. */
void sim_swaps_note(sim_swaps *s, const void *at, bool exchange);
void sim_swaps_free(sim_swaps *s);

#endif
