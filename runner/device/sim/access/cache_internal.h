/* What the cache models keep of a device: shared by cache.c (making, emptying) and cache_l2.inc
 * (look-ups). */
#ifndef WARPLAB_SIM_CACHE_INTERNAL_H
#define WARPLAB_SIM_CACHE_INTERNAL_H

#include "runner/device/sim/access/cache.h"

enum {
    L2_WAYS = 16,
    SECTOR = 32,
    L2_PARTIAL_SHARE = 11,
    L2_GROUP_SHIFT = 2, /* lines that lie together share a slice: 512 bytes */
    L2_LINE_BITS = 30   /* of the number of such a group: 512 GB */
};

/* A way of L2: tag << 13 | alone << 12 | dirty << 8 | valid << 4 | slot.
 *
 * The ways of a set lie in the order of their last use, the next victim last. dirty and valid are
 * masks of sectors; slot: where their words are kept, a permutation over a set's ways. alone: a
 * line at home has no copy in the other part, so that a store need not look there; clear when that
 * is not known.
 *
 * Lines are dealt out to the sets by a function that can be undone (l2_ask() in cache_l2.inc), so
 * that a set and a tag of 19 bits name a line among 2^19 for each set of a part, but for rounding:
 * 512 GB where there are 2048 groups of sets or more. Lines farther apart would be taken for one
 * another. An empty way has a tag that no other way of its set has, and no valid sector. */
enum { L2_SLOT = 15, L2_VALID = 4, L2_DIRTY = 8, L2_ALONE = 1 << 12, L2_TAG = 13 };

/* One of the host's lines, which is all that a look-up reads and writes, but for sectors written
 * in part. */
typedef struct {
    uint32_t way[L2_WAYS];
} __attribute__((aligned(64))) l2_set;

/* Of a set's ways, by slot, the written words of their sectors that are dirty but not valid; others
 * mean nothing. */
typedef struct {
    uint32_t of[L2_WAYS];
} __attribute__((aligned(64))) l2_words;

/* Sets that are looked into together lie together, because the host fetches neighbours: those of a
 * group's lines in one part, then in the other (where there is one part, those of two groups). The
 * other part's set is found by flipping a bit of a pointer; the words of each lie as many places on as
 * there are sets, for the host's sake in the same page. */
enum { L2_TOGETHER = 1 << L2_GROUP_SHIFT, L2_BUNDLE = 2 * L2_TOGETHER };
typedef struct {
    l2_set set[L2_BUNDLE];
    l2_words words[L2_BUNDLE];
} __attribute__((aligned(64))) l2_bundle;

/* A line with sectors written in part: its set at home, in bytes from the first on, its tag. */
typedef struct {
    uint32_t set, tag;
} l2_partial;

struct sim_caches {
    sim_l2_feed_fn *feed; /* for this host */
    sim_l1 *l1;
    unsigned sms;
    uint32_t *ways; /* of all L1s */
    uint64_t ways_each;
    l2_bundle *l2;
    uint32_t bundles;
    uint32_t sets, parts, groups;  /* sets: of a part */
    uint32_t group_shift;          /* from a line's number to that of its group */
    uint32_t line_bits, tag_shift; /* of a group's number; to its tag */
    /* Lines with sectors written in part, oldest first: a ring, some of which are complete or gone
     * by now. */
    l2_partial *partial;
    uint32_t partial_cap, partial_first, partial_n; /* of the ring */
    uint32_t partial_live, partial_most;
};

#endif
