/* Cache models: a sectored L1 for each multiprocessor, one L2, DRAM traffic behind it. Lines are
 * 128 bytes, sectors 32.
 *
 *   worker, in a block:  sim_l1_load() for each line of a load -> missing sectors go to the block's
 *                        stream
 *   commit, block order: sim_l2_feed(), the block's stream -> L2 look-ups, DRAM traffic
 *
 * Both are exact about what they model, so that a count can be explained.
 *
 * L1: write-through; stores do not allocate, except those to local memory; least recently used of 8
 * ways; empty at the start of a launch. A multiprocessor's blocks use it one after another.
 *
 * L2: write-back, least recently used of 16 ways. A load that misses fetches the 64-byte half of
 * the line. A written sector allocates without reading DRAM; if it is evicted before all its words
 * were written, it is first completed from DRAM, which is one more access. Only one line in eleven
 * may hold such sectors; beyond that, the oldest are completed and written back.
 *
 * On parts with two L2 partitions (compute capability 8.0, 9.0, 10.0), a line has its home in one
 * of them. A multiprocessor first asks the partition on its side. A store, an atomic, or a load
 * that missed there is then looked up at home if that is the far side, and a loaded half line
 * leaves a copy on the near side. This is why a streaming kernel shows 1.5 times its sectors in L2
 * there, and why these parts hold less than their size.
 *
 * DRAM: what L2 reads and what it writes back. Dirty data at the end of a launch stay in L2 and are
 * not counted.
 *
 * Three things do not follow from a plain rule: one in eleven, 64 bytes, and the partitions. They
 * were found by comparing with an H200's counters over copies of seven strides, a vector sum and a
 * transpose. Not modelled: instruction and constant fetches (some 150 L2 sectors for each
 * multiprocessor and launch), compression, persistence controls. */
#ifndef WARPLAB_SIM_CACHE_H
#define WARPLAB_SIM_CACHE_H

#include <stdatomic.h>
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

/* The caches of a device. `feed` looks up their L2; sim_caches_new() sets the host's. */
typedef struct sim_l2_count sim_l2_count;
typedef void sim_l2_feed_fn(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n,
                            uintptr_t next, sim_l2_count *to);
sim_caches *sim_caches_make(const sim_profile *p, sim_l2_feed_fn *feed);

enum { SIM_L1_WAYS = 8 };
#define SIM_L1_STIR 0x9E3779B1u /* odd; from the golden ratio */

/* A way: tag | stamp << 4 | valid, a mask of sectors. The ways of a set are in the order of their
 * last use. A way with another stamp than the L1's is empty.
 *
 * An invertible function distributes the lines over the sets: the number of a line (32 bits of it),
 * times an odd number, times the number of sets. The high half of the product is the set. The low
 * half differs by at least that number among the lines of a set, so some of its low bits are not
 * needed; these hold the stamp. Some lines would be confused: lines of one device that are 512 GB
 * apart; some lines of several devices that are a multiple of 32 GB apart; and, with fewer than 16
 * sets, some that are tens of GB apart. */
typedef struct {
    uint32_t *way;       /* sets * SIM_L1_WAYS; NULL: no L1 */
    uint32_t sets;       /* in this launch */
    uint32_t stamp;      /* << 4 */
    uint32_t stamp_bits; /* a mask: the bits of the stamp and of the sectors */
    uint32_t filled;     /* number of sets in the last launch that used it */
    bool stale;          /* its contents are from an older launch */
    /* the block that may use it, of the multiprocessor's blocks: block / sms */
    _Atomic uint64_t turn;
    /* a cache line of its own on the host, because its neighbours' turns change */
} __attribute__((aligned(64))) sim_l1;

/* Makes the L1s for a launch, of `bytes` each. Each must be begun before its first look-up. */
void sim_caches_launch(sim_caches *c, uint64_t bytes);
sim_l1 *sim_caches_l1(sim_caches *c, unsigned sm);
/* Makes an empty L1 of the same size that belongs to no multiprocessor, for suspended blocks. */
sim_l1 *sim_l1_new(const sim_l1 *like);
void sim_l1_free(sim_l1 *l);
/* Empties it, mostly by taking the next stamp. */
void sim_l1_empty(sim_l1 *l);
/* Sets the number of sets; it must then be begun. */
void sim_l1_resize(sim_l1 *l, uint32_t sets);
/* The general case of the look-up below: `want` is the line's way without sectors. */
unsigned sim_l1_search(uint32_t *set, uint32_t want, unsigned sectors);

static inline void sim_l1_begin(sim_l1 *l) {
    if (l->stale) sim_l1_empty(l);
}

/* The low `bits` of a line's number, 4 to 32, by which caches distinguish lines. The device to
 * which the memory belongs (1 TB apart, memory.h; local memory takes the place of a sixteenth) is
 * folded into the highest bits. */
static inline uint32_t sim_line_fold(uint64_t line, unsigned bits) {
    return (uint32_t)((line ^ (line >> (37 - bits) & UINT64_C(15) << (bits - 4))) &
                      ((UINT64_C(1) << bits) - 1));
}

/* The place of a line: its set, and its way there without sectors. */
typedef struct {
    uint32_t *set, want;
} sim_l1_place;
static inline sim_l1_place sim_l1_find(const sim_l1 *l, uint64_t line) {
    uint64_t spread = (uint64_t)(sim_line_fold(line, 32) * SIM_L1_STIR) * l->sets;
    return (sim_l1_place){l->way + (spread >> 32) * SIM_L1_WAYS,
                          ((uint32_t)spread & ~l->stamp_bits) | l->stamp};
}

/* Brings the set of a line into the host's cache. */
static inline void sim_l1_prefetch(const sim_l1 *l, uint64_t line) {
    if (l->sets) __builtin_prefetch(sim_l1_find(l, line).set, 1);
}

/* Looks up sectors of a line and makes them valid, for a load or a store to local memory. Returns
 * the mask of those found. */
static inline unsigned sim_l1_load(sim_l1 *l, uint64_t line, unsigned sectors) {
    if (!l->sets) return 0;
    sim_l1_place p = sim_l1_find(l, line);
    if ((p.set[0] ^ p.want) < 16) { /* the last used line of the set */
        unsigned found = p.set[0] & sectors;
        p.set[0] |= sectors;
        return found;
    }
    return sim_l1_search(p.set, p.want, sectors);
}

struct sim_l2_count {
    uint64_t sectors, hits, dram_read, dram_write; /* DRAM in bytes */
};

/* As in the stream. */
typedef enum {
    SIM_L2_LOAD = SIM_STREAM_LOAD,
    SIM_L2_STORE = SIM_STREAM_STORE,
    SIM_L2_ATOM = SIM_STREAM_ATOM
} sim_l2_op;
/* One access of multiprocessor sm. words: for STORE: the words of the line that are written.
 * Returns the sectors that took no DRAM traffic. Without an L2 (l2_bytes 0), everything goes to
 * DRAM. */
unsigned sim_l2_access(sim_caches *c, unsigned sm, uint64_t line, unsigned sectors, sim_l2_op op,
                       uint32_t words, sim_l2_count *n);
/* The same for a block's stream, entry by entry. Sets their `missed`, which must be 0 before. Works
 * ahead, so that the model's own data are in the host's cache when needed.
 *
 * next: 0, or the place that line 0 would have on the host if the bytes of `e` were where the next
 * stream needs them: these are brought into the host's cache meanwhile. */
sim_l2_feed_fn sim_l2_feed;

#endif
