/* Cache models: a sectored L1 per multiprocessor, one L2, DRAM traffic behind it. Lines are 128
 * bytes, sectors 32.
 *
 *   worker, in a block:  sim_l1_load() per line of a load -> sectors that miss go to the block's stream
 *   commit, block order: sim_l2_feed(), the block's stream -> L2 look-ups, DRAM traffic
 *
 * Both are exact about what they model, so that a count can be explained.
 *
 * L1: write-through; stores do not allocate, but for those to local memory; least recently used of 8 ways; empty at the start of a launch. A multiprocessor's blocks pass
 * through it one after another.
 *
 * L2: write-back, least recently used of 16 ways. A load that misses brings the 64-byte half of the
 * line. A written sector allocates without reading DRAM; if it leaves before all its words were
 * written, it is completed from DRAM first, one more access. Only one line in eleven may hold such
 * sectors; beyond that the oldest are completed and written back.
 *
 * On parts with two L2 partitions (compute capability 8.0, 9.0, 10.0) a line has its home in one of
 * them. A multiprocessor asks the partition on its side first; a store, an atomic, or a load that
 * missed there is then looked up at home if that is the far side, and a loaded half line leaves a
 * copy on the near side. This is why a streaming kernel shows 1.5 times its sectors in L2 there,
 * and why these parts hold less than their size.
 *
 * DRAM: what L2 reads and what it writes back. What is dirty at the end of a launch stays in L2 and
 * is not counted.
 *
 * The two figures that are no plain rule, one in eleven and 64 bytes, and the partitions, were
 * found by comparing with an H200's counters over copies of seven strides, a vector sum and a
 * transpose. Not modelled: instruction and constant fetches (some 150 L2 sectors a multiprocessor
 * and launch), compression, persistence controls. */
#ifndef WARPLAB_SIM_CACHE_H
#define WARPLAB_SIM_CACHE_H

#include <stdatomic.h>
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

/* The caches of a device whose L2 is looked up by `feed`; sim_caches_new() gives the host's. */
typedef struct sim_l2_count sim_l2_count;
typedef void sim_l2_feed_fn(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n,
                            uintptr_t next, sim_l2_count *to);
sim_caches *sim_caches_make(const sim_profile *p, sim_l2_feed_fn *feed);

enum { SIM_L1_WAYS = 8 };
#define SIM_L1_STIR 0x9E3779B1u /* odd; of the golden ratio */

/* A way: tag | stamp << 4 | valid, a mask of sectors. Ways of a set are kept in the order of their
 * last use; one with another stamp than the L1's is empty.
 *
 * Lines are dealt out to the sets by a function that can be undone: the number of a line, 32 bits
 * of it, times an odd one, times the number of sets. The high half of that is the set; of the low
 * half, which differs by that number at least among the lines of a set, as many low bits are not
 * needed, and have the stamp. Lines of one device 512 GB apart would be taken for one another, of
 * several some that are a multiple of 32 GB apart, and so would some that are tens of GB apart if
 * there are fewer than 16 sets. */
typedef struct {
    uint32_t *way;         /* sets * SIM_L1_WAYS; NULL: no L1 */
    uint32_t sets;         /* in this launch */
    uint32_t stamp;        /* << 4 */
    uint32_t stamp_bits;   /* a mask: the stamp's, and of the sectors */
    uint32_t filled;       /* sets in the last launch that used it */
    bool stale;            /* what it holds is of an older launch */
    _Atomic uint64_t turn; /* which of the multiprocessor's blocks may use it: block / sms */
} __attribute__((aligned(64))) sim_l1; /* a line of the host's, since a neighbour's turn changes */

/* The L1s for a launch, of `bytes` each. Each is to begin before its first look-up. */
void sim_caches_launch(sim_caches *c, uint64_t bytes);
sim_l1 *sim_caches_l1(sim_caches *c, unsigned sm);
/* An L1 of the same size that no multiprocessor owns: blocks that were suspended. Empty. */
sim_l1 *sim_l1_new(const sim_l1 *like);
void sim_l1_free(sim_l1 *l);
/* Empties it, in most cases by the next stamp. */
void sim_l1_empty(sim_l1 *l);
/* So many sets from now on; it is to begin. */
void sim_l1_resize(sim_l1 *l, uint32_t sets);
/* The general case of the look-up below: `want` is the line's way without sectors. */
unsigned sim_l1_search(uint32_t *set, uint32_t want, unsigned sectors);

static inline void sim_l1_begin(sim_l1 *l) {
    if (l->stale) sim_l1_empty(l);
}

/* The low `bits` of a line's number, 4 to 32, by which caches tell lines: which device's memory it is
 * (1 TB apart, memory.h; local memory is in the place of a sixteenth) is folded into the highest. */
static inline uint32_t sim_line_fold(uint64_t line, unsigned bits) {
    return (uint32_t)((line ^ (line >> (37 - bits) & UINT64_C(15) << (bits - 4))) &
                      ((UINT64_C(1) << bits) - 1));
}

/* Where a line goes: a set, and what its way is there but for sectors. */
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

/* Looks sectors of a line up and makes them valid, for a load or a store to local memory; returns the
 * mask of those found. */
static inline unsigned sim_l1_load(sim_l1 *l, uint64_t line, unsigned sectors) {
    if (!l->sets) return 0;
    sim_l1_place p = sim_l1_find(l, line);
    if ((p.set[0] ^ p.want) < 16) { /* the set's last used line */
        unsigned found = p.set[0] & sectors;
        p.set[0] |= sectors;
        return found;
    }
    return sim_l1_search(p.set, p.want, sectors);
}

struct sim_l2_count {
    uint64_t sectors, hits, dram_read, dram_write; /* DRAM in bytes */
};

/* As the stream's. */
typedef enum {
    SIM_L2_LOAD = SIM_STREAM_LOAD,
    SIM_L2_STORE = SIM_STREAM_STORE,
    SIM_L2_ATOM = SIM_STREAM_ATOM
} sim_l2_op;
/* One access of multiprocessor sm. `words`: STORE: the words of the line that are written. Returns
 * the sectors that took no DRAM traffic. Without an L2 (l2_bytes 0) everything goes to DRAM. */
unsigned sim_l2_access(sim_caches *c, unsigned sm, uint64_t line, unsigned sectors, sim_l2_op op,
                       uint32_t words, sim_l2_count *n);
/* The same for a block's stream, entry by entry; sets their `missed`, which is 0 before. Looks ahead,
 * so that the model's own data is in the host's cache when it is needed.
 *
 * next: 0, or where on the host line 0 would lie for the bytes of `e` to lie where the next stream
 * asks for them: they are brought into the host's cache meanwhile. */
sim_l2_feed_fn sim_l2_feed;

#endif
