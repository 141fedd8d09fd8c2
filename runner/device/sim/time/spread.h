/* How a launch's work spreads over the multiprocessors, for its time: the busiest decides.
 *
 * Blocks are dealt out as the hardware's dispatcher is seen to do it: one to each multiprocessor in
 * turn until all are full, then to whoever is free first, which is taken to be who has executed
 * least. */
#ifndef WARPLAB_SPREAD_H
#define WARPLAB_SPREAD_H

#include <stdint.h>

typedef struct {
    unsigned sms;
    unsigned first;     /* whose load is replayed while one wave of blocks is enough */
    uint64_t full;      /* blocks that fit at once */
    uint64_t count;     /* blocks so far */
    uint64_t load[256]; /* warp instructions, by multiprocessor */
} sim_spread;

/* For devices of up to 256 multiprocessors; beyond that nothing is told. `resident`: blocks a
 * multiprocessor holds. */
void sim_spread_begin(sim_spread *s, unsigned sms, unsigned resident);
/* The next block, in the order of their linear indices, has executed so many warp instructions. */
void sim_spread_block(sim_spread *s, uint64_t warp_instructions);
/* What the busiest multiprocessor executed, as a multiple of what `first` did while one wave of
 * blocks was enough, else of the mean; at least 1. */
double sim_spread_worst(const sim_spread *s);

#endif
