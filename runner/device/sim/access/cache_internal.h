/* The data of a device's cache models, shared by cache.c (making, emptying) and cache_l2.inc
 * (look-ups). */
#ifndef WARPLAB_SIM_CACHE_INTERNAL_H
#define WARPLAB_SIM_CACHE_INTERNAL_H

#include "runner/device/sim/access/cache.h"

enum {
    L2_WAYS = 16,
    SECTOR = 32,
    L2_PARTIAL_SHARE = 11,
    L2_GROUP_SHIFT = 2, /* neighbouring lines share a slice: 512 bytes */
    L2_LINE_BITS = 30   /* bits of the number of such a group: 512 GB */
};

/* A way of L2: tag << 13 | alone << 12 | dirty << 8 | valid << 4 | slot.
 *
 * The ways of a set are in the order of their last use, the next victim last. dirty and valid are
 * masks of sectors. slot: the place of their words, a permutation over a set's ways. alone: a line
 * at home has no copy in the other partition, so a store need not look there; clear if unknown.
 *
 * An invertible function distributes the lines over the sets' ways (l2_ask() in cache_l2.inc). So a
 * set and a tag of 19 bits identify a line among 2^19 for each set of a partition, except for
 * rounding: 512 GB with 2048 groups of sets or more. Lines further apart would be confused. An
 * empty way has a tag that no other way of its set has, and no valid sector. */
enum { L2_SLOT = 15, L2_VALID = 4, L2_DIRTY = 8, L2_ALONE = 1 << 12, L2_TAG = 13 };

/* One cache line of the host: all that a look-up reads and writes, except for partly written
 * sectors. */
typedef struct {
    uint32_t way[L2_WAYS];
} __attribute__((aligned(64))) l2_set;

/* By slot of a set's ways: the written words of sectors that are dirty but not valid. Others are
 * meaningless. */
typedef struct {
    uint32_t of[L2_WAYS];
} __attribute__((aligned(64))) l2_words;

/* Sets that are looked up together are adjacent, because the host fetches neighbours: those of a
 * group's lines in one partition, then those in the other (with one partition: those of two
 * groups). The other partition's set is found by flipping one bit of a pointer. The words of a set
 * are as many places further as there are sets, so that they are in the same page of the host. */
enum { L2_TOGETHER = 1 << L2_GROUP_SHIFT, L2_BUNDLE = 2 * L2_TOGETHER };
typedef struct {
    l2_set set[L2_BUNDLE];
    l2_words words[L2_BUNDLE];
} __attribute__((aligned(64))) l2_bundle;

/* A line with partly written sectors: its set at home (bytes from the first set), and its tag. */
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
    uint32_t sets, parts, groups;  /* sets: of one partition */
    uint32_t group_shift;          /* shift from a line's number to that of its group */
    uint32_t line_bits, tag_shift; /* bits of a group's number; shift to its tag */
    /* Lines with partly written sectors, oldest first: a ring. Some may be complete or evicted by
     * now. */
    l2_partial *partial;
    uint32_t partial_cap, partial_first, partial_n; /* of the ring */
    uint32_t partial_live, partial_most;
};

#endif
