/* What the cache models keep of a device: shared by cache.c (making, emptying) and cache_l2.inc
 * (look-ups). */
#ifndef WARPLAB_SIM_CACHE_INTERNAL_H
#define WARPLAB_SIM_CACHE_INTERNAL_H

#include "runner/sim/access/cache.h"

enum {
    L2_WAYS = 16,
    SECTOR = 32,
    L2_PARTIAL_SHARE = 11,
    L2_GROUP = 4 /* lines that lie together share a slice: 512 bytes */
};

/* A tag is the low half of the line number, plus one: lines 512 GB apart would be taken for one
 * another. */
typedef struct {
    uint32_t tag[L2_WAYS];
} __attribute__((aligned(64))) l2_tags;

/* Of a way, the written words of its sectors that are dirty but not valid; others mean nothing. */
typedef struct {
    uint32_t of[L2_WAYS];
} __attribute__((aligned(64))) l2_words;

/* age: 0: last used, 15: next victim; a permutation. With it a bit that says that a line at home
 * may have a copy in the other part, set when that is not known: a store that finds it clear need
 * not look there. */
enum { L2_AGE = L2_WAYS - 1, L2_COPIED = 16 };
typedef struct {
    uint8_t age[L2_WAYS];
    uint8_t state[L2_WAYS]; /* dirty << 4 | valid */
} __attribute__((aligned(32))) l2_uses;

/* Two sets: those of a line in either part, or neighbours where there is one part. Five of the
 * host's lines: a look-up reads one for the tags and one, the same for both sets, for the rest.
 * Aligned so that a set's neighbour is found by flipping a bit of a pointer. */
typedef struct {
    l2_tags tags[2];
    l2_words words[2];
    l2_uses uses[2];
} __attribute__((aligned(128))) l2_pair;

/* A line with sectors written in part: its set at home (pair * 2 + part), its tag. */
typedef struct {
    uint32_t set, tag;
} l2_partial;

struct sim_caches {
    sim_l2_feed_fn *feed; /* for this host */
    sim_l1 *l1;
    unsigned sms;
    uint64_t *ways; /* of all L1s */
    uint64_t ways_each;
    uint16_t launch;
    l2_pair *l2;
    uint32_t pairs;
    uint32_t sets, parts, groups; /* sets: of a part */
    /* Lines with sectors written in part, oldest first: a ring, some of which are complete or gone
     * by now. */
    l2_partial *partial;
    uint32_t partial_cap, partial_first, partial_n; /* of the ring */
    uint32_t partial_live, partial_most;
};

#endif
