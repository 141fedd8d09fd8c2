/* How a launch's work is distributed over the multiprocessors. The busiest one decides the time.
 *
 * Blocks are distributed as the hardware's dispatcher was observed to do it: one to each
 * multiprocessor in turn until all are full, then to the first one that is free. The one that has
 * executed least counts as the first that is free. */
#ifndef WARPLAB_SPREAD_H
#define WARPLAB_SPREAD_H

#include <stdint.h>

typedef struct {
    unsigned sms;
    /* the multiprocessor that is replayed, as long as one wave of blocks is enough */
    unsigned first;
    uint64_t full;      /* blocks that fit at the same time */
    uint64_t count;     /* blocks so far */
    uint64_t load[256]; /* warp instructions, by multiprocessor */
} sim_spread;

/* For devices of up to 256 multiprocessors; for larger ones nothing is computed. resident: blocks
 * that a multiprocessor holds. */
void sim_spread_begin(sim_spread *s, unsigned sms, unsigned resident);
/* Adds the next block, in the order of linear indices, with the warp instructions that it
 * executed. */
void sim_spread_block(sim_spread *s, uint64_t warp_instructions);
/* Returns what the busiest multiprocessor executed, as a multiple of what `first` executed if one
 * wave of blocks was enough, otherwise of the mean; at least 1. */
double sim_spread_worst(const sim_spread *s);

#endif
