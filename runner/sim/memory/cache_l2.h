/* L2: the look-ups of what cache.h tells. Included by access_path.h, which see.
 *
 *   l2_feed()                            a block's stream
 *     l2_ask()                           some entries ahead: finds the sets and has the host fetch them
 *     l2_load(), l2_store(), l2_atom()   entry by entry: the near side, home
 *       l2_way()                         the line's way, or the oldest one */

typedef uint8_t bytes16 __attribute__((vector_size(16), may_alias));
typedef int8_t signs16 __attribute__((vector_size(16)));

/* Counts of a stream; DRAM in sectors. */
typedef struct {
    uint64_t sectors, hits, dram_read, dram_write;
} l2_sum;

/* Of a mask of sectors. */
HOT unsigned pop4(unsigned m) {
#if VB >= 32
    return (unsigned)__builtin_popcount(m);
#else
    return (unsigned)(0x4332322132212110u >> m * 4) & 15; /* the sixteen answers in one word */
#endif
}

/* Ways whose tag is `tag`, lanes that are not zero: a bit each. */
HOT unsigned l2_tagged(const l2_tags *t, uint32_t tag) {
#if VB == 64
    return _mm512_cmpeq_epi32_mask(*(const __m512i *)t, _mm512_set1_epi32((int)tag));
#elif VB == 32
    const __m256i *x = (const __m256i *)t, want = _mm256_set1_epi32((int)tag);
    unsigned low = (unsigned)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32(x[0], want));
    return low | (unsigned)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32(x[1], want)) << 8;
#elif defined(__SSE2__)
    const __m128i *x = (const __m128i *)t, want = _mm_set1_epi32((int)tag);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(x[0], want), _mm_cmpeq_epi32(x[1], want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(x[2], want), _mm_cmpeq_epi32(x[3], want));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    unsigned hit = 0;
    for (unsigned w = 0; w < L2_WAYS; w++) hit |= (unsigned)(t->tag[w] == tag) << w;
    return hit;
#endif
}
HOT unsigned l2_true(bytes16 x) {
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_epi8((__m128i)x);
#else
    unsigned bits = 0;
    for (unsigned w = 0; w < L2_WAYS; w++) bits |= (unsigned)(x[w] >> 7) << w;
    return bits;
#endif
}

/* The way was used; `mark` is 0 or L2_COPIED. Ages are a permutation, so the lanes equal to its age
 * are its own; they are written as a vector because a byte written into one that is read next would
 * hold the host up. */
HOT void l2_touch(l2_uses *u, unsigned w, unsigned mark) {
    unsigned was = u->age[w];
    if (!(was & L2_AGE)) {
        if (UNLIKELY(mark & ~was)) u->age[w] = (uint8_t)(was | mark);
        return;
    }
    bytes16 all = *(bytes16 *)u->age, age = all & L2_AGE,
            its = (bytes16){} + (uint8_t)(was & L2_AGE);
    bytes16 own = (bytes16)(age == its), younger = (bytes16)((signs16)age < (signs16)its);
    *(bytes16 *)u->age =
        ((all - younger) & ~(own & L2_AGE)) | (own & (uint8_t)mark); /* true is -1 */
}

/* Sectors of a state that were written, but not all of their words. */
HOT unsigned l2_in_part(unsigned state) {
    return state >> 4 & ~state & 15;
}

/* Where a line's set is at home (in an l2_pair), and whether that is the far side for the asker. */
typedef struct {
    l2_tags *tags;
    l2_uses *uses;
    unsigned far;
} l2_place;

/* The words of the ways lie two sets behind the tags. */
HOT l2_words *l2_words_of(l2_place p) {
    return (l2_words *)p.tags + 2;
}

/* The set of the pair that this is not. */
HOT l2_place l2_other(l2_place p) {
    return (l2_place){(l2_tags *)((uintptr_t)p.tags ^ sizeof *p.tags),
                      (l2_uses *)((uintptr_t)p.uses ^ sizeof *p.uses), 0};
}

/* The oldest way makes room. What is dirty goes to DRAM; what was written in part is completed from
 * there first, which is an access of its own. */
HOT unsigned l2_take(sim_caches *c, l2_place p, uint32_t tag, l2_sum *n) {
    bytes16 all = *(bytes16 *)p.uses->age, oldest = (bytes16)((all & L2_AGE) == L2_AGE);
    unsigned w = (unsigned)__builtin_ctz(l2_true(oldest)), state = p.uses->state[w];
    if (state >> 4) {
        unsigned part = l2_in_part(state);
        c->partial_live -= part != 0;
        n->dram_write += pop4(state >> 4);
        n->dram_read += pop4(part);
        n->sectors += pop4(part);
    }
    p.tags->tag[w] = tag;
    p.uses->state[w] = 0;
    /* all are older by one, and the oldest is the youngest; whether it has a copy is not known */
    *(bytes16 *)p.uses->age = ((all + 1) & L2_AGE) | ((all | oldest) & L2_COPIED);
    return w;
}

/* The way that holds the line; an absent line takes the oldest way. */
HOT unsigned l2_way(sim_caches *c, l2_place p, uint32_t tag, unsigned mark, l2_sum *n) {
    unsigned hit = l2_tagged(p.tags, tag);
    if (UNLIKELY(!hit)) return l2_take(c, p, tag, n);
    unsigned w = (unsigned)__builtin_ctz(hit);
    l2_touch(p.uses, w, mark);
    return w;
}

/* The sectors with all eight of their words. */
HOT unsigned whole_sectors(uint32_t words) {
    uint32_t w = words & words >> 4;
    w &= w >> 2;
    w &= w >> 1;
    return (w & 0x1010101) * 0x10204080u >> 28;
}

/* Loads move 64 bytes: both sectors of a half line. */
HOT unsigned halves(unsigned sectors) {
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

/* L2 holds only so many lines in part: the oldest are completed and cleaned. Returns how many
 * sectors were. */
APART unsigned l2_new_part(sim_caches *c, l2_place p, uint32_t tag) {
    enum { AHEAD = 8 };
    unsigned cleaned = 0;
    if (c->partial_n < c->partial_cap) {
        uint32_t end = c->partial_first + c->partial_n++;
        size_t from = (size_t)((uint8_t *)p.tags - (uint8_t *)c->l2);
        uint32_t set = (uint32_t)(from / sizeof *c->l2 * 2 + from / sizeof *p.tags % 2);
        c->partial[end >= c->partial_cap ? end - c->partial_cap : end] = (l2_partial){set, tag};
    }
    while (c->partial_n && (c->partial_live > c->partial_most || c->partial_n == c->partial_cap)) {
        l2_partial old = c->partial[c->partial_first];
        uint32_t next = c->partial_first + AHEAD;
        next = c->partial[next >= c->partial_cap ? next - c->partial_cap : next].set;
        __builtin_prefetch(&c->l2[next / 2].tags[next % 2]);
        __builtin_prefetch(&c->l2[next / 2].uses, 1);
        if (++c->partial_first == c->partial_cap) c->partial_first = 0;
        c->partial_n--;
        unsigned hit = l2_tagged(&c->l2[old.set / 2].tags[old.set % 2], old.tag);
        if (!hit) continue;
        uint8_t *state = &c->l2[old.set / 2].uses[old.set % 2].state[__builtin_ctz(hit)];
        unsigned part = l2_in_part(*state);
        if (!part) continue;
        *state = (uint8_t)((*state | part) & ~(part << 4));
        cleaned += pop4(part);
        c->partial_live--;
    }
    return cleaned;
}

/* What follows returns the sectors that took no DRAM traffic. */

HOT unsigned l2_load(sim_caches *c, l2_place p, uint32_t tag, unsigned sectors, l2_sum *n) {
    unsigned need = sectors;
    if (p.far) {
        l2_place near = l2_other(p);
        uint8_t *at = &near.uses->state[l2_way(c, near, tag, 0, n)];
        unsigned state = *at;
        n->sectors += pop4(sectors);
        n->hits += pop4(state & sectors);
        need &= ~state;
        if (!need) return sectors;
        need = halves(need) & ~state;
        *at = (uint8_t)(state | need);
    }
    uint8_t *at = &p.uses->state[l2_way(c, p, tag, p.far * L2_COPIED, n)];
    unsigned state = *at, miss = need & ~state;
    n->sectors += pop4(need);
    n->hits += pop4(need & state);
    if (LIKELY(!miss)) return sectors;
    unsigned fetch = halves(miss) & ~state, was_part = l2_in_part(state);
    n->dram_read += pop4(fetch);
    *at = (uint8_t)(state | fetch);
    c->partial_live -= was_part && !(was_part & ~fetch);
    return sectors & ~miss;
}

/* A copy on the near side is now stale. Once nothing of it is left, there is none until the next
 * load from that side, which comes here too and marks the line again. */
HOT void l2_store_near(l2_place p, unsigned w, uint32_t tag, unsigned sectors) {
    l2_place near = l2_other(p);
    unsigned hit = l2_tagged(near.tags, tag), left = 0;
    if (hit) left = near.uses->state[__builtin_ctz(hit)] &= (uint8_t)~sectors;
    if (!left) p.uses->age[w] &= (uint8_t)~L2_COPIED;
}

/* The line has become one with sectors written in part, or is none any more. */
HOT void l2_part_changed(sim_caches *c, l2_place p, uint32_t tag, bool is_part, l2_sum *n) {
    if (!is_part) {
        c->partial_live--;
        return;
    }
    c->partial_live++;
    unsigned cleaned = l2_new_part(c, p, tag);
    n->dram_write += cleaned;
    n->dram_read += cleaned;
    n->sectors += cleaned;
}

HOT unsigned l2_store(sim_caches *c, l2_place p, uint32_t tag, unsigned sectors, uint32_t words,
                      l2_sum *n) {
    unsigned w = l2_way(c, p, tag, 0, n);
    unsigned was = p.uses->state[w], was_part = l2_in_part(was);
    n->sectors += pop4(sectors) << p.far;
    n->hits += pop4(sectors & (was | was >> 4));
    if (UNLIKELY(p.uses->age[w] & p.far * L2_COPIED)) l2_store_near(p, w, tag, sectors);
    if (!(sectors & ~was)) { /* all valid: their words do not matter */
        p.uses->state[w] = (uint8_t)(was | sectors << 4);
        return sectors;
    }
    uint32_t *kept = &l2_words_of(p)->of[w];
    if (was_part) words |= *kept & words_of(was_part);
    unsigned is = was | sectors << 4 | whole_sectors(words), is_part = l2_in_part(is);
    p.uses->state[w] = (uint8_t)is;
    if (is_part) *kept = words;
    if (UNLIKELY(!was_part != !is_part)) l2_part_changed(c, p, tag, is_part, n);
    return sectors;
}

HOT unsigned l2_atom(sim_caches *c, l2_place p, uint32_t tag, unsigned sectors, l2_sum *n) {
    unsigned w = l2_way(c, p, tag, 0, n);
    unsigned was = p.uses->state[w], miss = sectors & ~was, is = was | miss | sectors << 4;
    n->sectors += pop4(sectors) << p.far;
    n->hits += pop4(sectors & was);
    n->dram_read += pop4(miss);
    if (UNLIKELY(p.uses->age[w] & p.far * L2_COPIED)) l2_store_near(p, w, tag, sectors);
    p.uses->state[w] = (uint8_t)is;
    if (UNLIKELY(!l2_in_part(was) != !l2_in_part(is)))
        l2_part_changed(c, p, tag, l2_in_part(is), n);
    return sectors & ~miss;
}

/* How many entries' sets are on their way from the host's memory: as many to twice as many. */
enum { AHEAD = 32 };

/* Where entries go, an l2_place each. `also`: what else a look-up reads: the tags of the near side,
 * the words. */
typedef struct {
    uint64_t tags[AHEAD], uses[AHEAD], far[AHEAD], also[AHEAD];
} __attribute__((aligned(64))) l2_asked;

/* The part a line is at home in is chosen by the hash; sets of lines that lie together lie
 * together. Two parts: one set of each makes a pair. The host fetches what will be looked at. sm:
 * its side. A vector of entries at a time: there is room in `at` for whole ones. */
HOT void l2_ask(const sim_caches *c, unsigned sm, const sim_stream_entry *e, uint32_t n,
                l2_asked *at, bool two) {
    _Static_assert(sizeof(l2_pair) == 384 && sizeof(l2_tags) == 64 && sizeof(l2_uses) == 32,
                   "by shifts here");
    _Static_assert(offsetof(l2_pair, words) == 128 && offsetof(l2_pair, uses) == 256,
                   "by shifts here");
    const v64 none = {};
    for (uint32_t i = 0; i < n; i += N64) {
        sim_stream_entry last[N64];
        const void *from = e + i;
        if (UNLIKELY(n - i < N64)) {
            memset(last, 0, sizeof last);
            from = memcpy(last, from, (n - i) * sizeof *last);
        }
        v64 line, rest;
        unzip64(from, &line, &rest);
        v64 h = (line / L2_GROUP) * (none + 0x9E3779B97F4A7C15u);
        h ^= h >> 29;
        v64 set = (low_product64(h, none + c->groups) >> 32) * L2_GROUP + line % L2_GROUP;
        set &= (v64)((s64)set < (s64)(none + c->sets)); /* fewer sets than a group has lines */
        v64 part = set & 1, pair = set >> 1, far = none;
        if (two) {
            part = h >> 63;
            pair = set;
            far = part ^ sm;
        }
        v64 base = (uint64_t)(uintptr_t)c->l2 + (pair << 8) + (pair << 7),
            tags = base + (part << 6);
        v64 sectors = rest >> 32 & 15,
            whole = (sectors | sectors << 7 | sectors << 14 | sectors << 21) & 0x1010101;
        v64 load = (v64)((rest >> 40 & 255) == SIM_STREAM_LOAD),
            in_part = (v64)((rest & 0xffffffff) != (whole << 8) - whole);
        *(v64 *)(at->tags + i) = tags;
        *(v64 *)(at->uses + i) = base + 256 + (part << 5);
        *(v64 *)(at->far + i) = far;
        *(v64 *)(at->also + i) = tags ^ ((far << 6 & load) | (128 & in_part & ~load));
    }
    for (uint32_t i = 0; i < n; i++) {
        __builtin_prefetch((void *)(uintptr_t)at->tags[i], 1);
        __builtin_prefetch((void *)(uintptr_t)at->uses[i], 1);
        __builtin_prefetch((void *)(uintptr_t)at->also[i], 1);
    }
}

HOT void l2_feed_parts(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n,
                       sim_l2_count *to, bool two) {
    l2_sum sum = {0};
    l2_asked at[2];
    l2_ask(c, sm & 1, e, n < AHEAD ? n : AHEAD, &at[0], two);
    for (unsigned turn = 0; n; turn ^= 1) {
        uint32_t here = n < AHEAD ? n : AHEAD;
        n -= here;
        l2_ask(c, sm & 1, e + here, n < AHEAD ? n : AHEAD, &at[turn ^ 1], two);
        for (uint32_t i = 0; i < here; i++, e++) {
            l2_place p = {(l2_tags *)(uintptr_t)at[turn].tags[i],
                          (l2_uses *)(uintptr_t)at[turn].uses[i],
                          two ? (unsigned)at[turn].far[i] : 0};
            uint32_t tag = (uint32_t)e->line + 1;
            if (e->op == SIM_STREAM_LOAD) e->hit = (uint8_t)l2_load(c, p, tag, e->sectors, &sum);
            else if (LIKELY(e->op == SIM_STREAM_STORE))
                e->hit = (uint8_t)l2_store(c, p, tag, e->sectors, e->words, &sum);
            else e->hit = (uint8_t)l2_atom(c, p, tag, e->sectors, &sum);
        }
    }
    to->sectors += sum.sectors;
    to->hits += sum.hits;
    to->dram_read += sum.dram_read * SECTOR;
    to->dram_write += sum.dram_write * SECTOR;
}

static void l2_feed(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n, sim_l2_count *to) {
    if (c->parts == 2) l2_feed_parts(c, sm, e, n, to, true);
    else l2_feed_parts(c, sm, e, n, to, false);
}
