/* The cache models: what is told in cache.h, in code. */
#include "cache.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    L2_WAYS = 16,
    SECTOR = 32,
    PARTIAL_SHARE = 11,
    GROUP = 4 /* lines that lie together share a slice: 512 bytes */
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef int8_t signs16 __attribute__((vector_size(16)));

/* A tag is the low half of the line number, plus one: lines 512 GB apart would be taken for one another. Two of the host's lines. */
typedef struct {
    uint32_t tag[L2_WAYS];
    bytes16 age;            /* 0: last used, 15: next victim; a permutation */
    uint8_t state[L2_WAYS]; /* dirty << 4 | valid */
} __attribute__((aligned(128))) l2_set;

struct sim_caches {
    const sim_profile *p;
    sim_l1 *l1;
    unsigned sms;
    uint64_t *ways; /* of all L1s */
    uint64_t ways_each;
    uint16_t launch;
    l2_set *l2; /* parts * sets */
    uint32_t
        *words; /* by way: written words of its sectors that are dirty but not valid; others mean nothing */
    uint32_t sets, parts, groups;
    /* Lines with sectors written in part, oldest first: a ring of line numbers, some of which are complete or
     * gone by now. */
    uint64_t *partial;
    uint32_t partial_cap, partial_first, partial_n; /* of the ring */
    uint32_t partial_live, partial_most;
};

/* Zeroed memory that is looked into at random: in large pages where the host has them. */
static void *large(size_t bytes) {
    enum { PAGE = 2 << 20 };
    size_t n = (bytes + PAGE - 1) / PAGE * PAGE;
    void *p = aligned_alloc(PAGE, n);
    if (!p) return NULL;
    madvise(p, n, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static void l2_empty(sim_caches *c) {
    c->partial_n = c->partial_live = 0;
    for (uint64_t i = 0; i < (uint64_t)c->sets * c->parts; i++) {
        l2_set *s = &c->l2[i];
        memset(s, 0, sizeof *s);
        for (unsigned w = 0; w < L2_WAYS; w++) s->age[w] = (uint8_t)w;
    }
}

sim_caches *sim_caches_new(const sim_profile *p) {
    sim_caches *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->p = p;
    c->sms = p->sms ? p->sms : 1;
    c->ways_each = p->l1_bytes / SIM_LINE_BYTES;
    c->parts = p->cc_major >= 8 && p->cc_minor == 0 ? 2 : 1;
    c->sets = (uint32_t)(p->l2_bytes / SIM_LINE_BYTES / L2_WAYS / c->parts);
    c->l1 = calloc(c->sms, sizeof *c->l1);
    c->ways = c->ways_each ? large(c->ways_each * c->sms * sizeof *c->ways) : NULL;
    size_t l2_sets = (size_t)c->sets * c->parts;
    c->l2 = l2_sets ? large(l2_sets * sizeof *c->l2) : NULL;
    c->groups = c->sets / GROUP ? c->sets / GROUP : 1;
    c->words = l2_sets ? large(l2_sets * L2_WAYS * sizeof *c->words) : NULL;
    c->partial_most = c->sets * c->parts * L2_WAYS / PARTIAL_SHARE;
    c->partial_cap = c->partial_most * 4 + 1;
    c->partial = malloc(c->partial_cap * sizeof *c->partial);
    if (!c->l1 || (c->ways_each && !c->ways) || (c->sets && (!c->l2 || !c->words)) || !c->partial) {
        sim_caches_free(c);
        return NULL;
    }
    for (unsigned i = 0; i < c->sms; i++) c->l1[i].way = c->ways ? c->ways + i * c->ways_each : NULL;
    l2_empty(c);
    return c;
}

void sim_caches_free(sim_caches *c) {
    if (!c) return;
    free(c->l1);
    free(c->ways);
    free(c->l2);
    free(c->words);
    free(c->partial);
    free(c);
}

void sim_caches_flush(sim_caches *c) {
    if (c) l2_empty(c);
}

/* ---- L1 ---- */

static uint16_t next_launch(uint16_t launch, uint64_t *way, uint64_t n) {
    if (++launch) return launch;
    if (way) memset(way, 0, n * sizeof *way); /* the numbers start again */
    return 1;
}

void sim_caches_launch(sim_caches *c, uint64_t bytes) {
    c->launch = next_launch(c->launch, c->ways, c->ways_each * c->sms);
    uint64_t ways = bytes / SIM_LINE_BYTES < c->ways_each ? bytes / SIM_LINE_BYTES : c->ways_each;
    for (unsigned i = 0; i < c->sms; i++) {
        c->l1[i].sets = (uint32_t)(ways / SIM_L1_WAYS);
        c->l1[i].launch = c->launch;
        c->l1[i].turn = 0;
    }
}

sim_l1 *sim_caches_l1(sim_caches *c, unsigned sm) {
    return &c->l1[sm % c->sms];
}

sim_l1 *sim_l1_new(const sim_l1 *like) {
    sim_l1 *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->sets = like->sets;
    l->launch = 1;
    if (l->sets && !(l->way = calloc((size_t)l->sets * SIM_L1_WAYS, sizeof *l->way))) l->sets = 0;
    return l;
}

void sim_l1_empty(sim_l1 *l) {
    l->launch = next_launch(l->launch, l->way, (uint64_t)l->sets * SIM_L1_WAYS);
}

void sim_l1_free(sim_l1 *l) {
    if (!l) return;
    free(l->way);
    free(l);
}

unsigned sim_l1_search(sim_l1 *l, uint64_t *set, uint64_t key, unsigned sectors, bool dirty,
                       uint64_t *evicted) {
    uint64_t add = dirty ? sectors << 4 | sectors : sectors, was = set[0];
    if (was >> 8 == key) {
        set[0] |= add;
        return (unsigned)was & sectors;
    }
    for (unsigned i = 1; i < SIM_L1_WAYS;
         i++) { /* each way moves back one place until the line's own is free */
        uint64_t here = set[i];
        set[i] = was;
        if (here >> 8 == key) {
            set[0] = here | add;
            return (unsigned)here & sectors;
        }
        was = here;
    }
    set[0] = key << 8 | add;
    if ((was >> 8 & 0xffff) == l->launch && (was >> 4 & 15)) *evicted = was;
    return 0;
}

/* ---- L2 ---- */

static uint64_t hash(uint64_t line) {
    uint64_t h = line / GROUP * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* The set of a line with this hash in each part; the parts lie one after another. */
static size_t set_at(const sim_caches *c, uint64_t h, uint64_t line) {
    uint64_t at = ((h & 0xffffffff) * c->groups >> 32) * GROUP + line % GROUP;
    return at < c->sets ? at : 0;
}

static unsigned home_of(const sim_caches *c, uint64_t h) {
    return c->parts == 2 ? (unsigned)(h >> 63) : 0;
}

/* The way was used. Ages are a permutation, so the lanes equal to its age are its own; they are written as a
 * vector because a byte written into one that is read next would hold the host up. */
static void touch(l2_set *s, unsigned w) {
    uint8_t was = s->age[w];
    if (!was) return;
    signs16 age = (signs16)s->age, own = (signs16){} + (int8_t)was;
    s->age = (bytes16)((age - (age < own)) & ~(age == own)); /* true is -1 */
}

/* Ways whose 32-bit tag is `tag`, ways of age `age`: a bit each. */
#if defined(__SSE2__)
static unsigned ways_tagged(const l2_set *s, uint32_t tag) {
    const __m128i *t = (const __m128i *)s->tag, want = _mm_set1_epi32((int)tag);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(t[0], want), _mm_cmpeq_epi32(t[1], want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(t[2], want), _mm_cmpeq_epi32(t[3], want));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
static unsigned ways_aged(const l2_set *s, uint8_t age) {
    return (unsigned)_mm_movemask_epi8((__m128i)(s->age == age));
}
#else
static unsigned ways_tagged(const l2_set *s, uint32_t tag) {
    unsigned hit = 0;
    for (unsigned w = 0; w < L2_WAYS; w++) hit |= (unsigned)(s->tag[w] == tag) << w;
    return hit;
}
static unsigned ways_aged(const l2_set *s, uint8_t age) {
    unsigned hit = 0;
    for (unsigned w = 0; w < L2_WAYS; w++) hit |= (unsigned)(s->age[w] == age) << w;
    return hit;
}
#endif

static int find(const l2_set *s, uint64_t line) {
    unsigned hit = ways_tagged(s, (uint32_t)line + 1);
    return hit ? __builtin_ctz(hit) : -1;
}

/* Of a mask of sectors: the sixteen answers in one word. */
static unsigned pop(unsigned m) {
    return (unsigned)(0x4332322132212110u >> (m & 15) * 4) & 15;
}

/* Sectors of a state that were written, but not all of their words. */
static unsigned in_part(unsigned state) {
    return state >> 4 & ~state & 15;
}

/* Dirty sectors go to DRAM; what was written in part is completed from there first, which is an access of its
 * own. Returns the state after. */
static unsigned write_back(unsigned state, unsigned dirty, sim_l2_count *n) {
    unsigned part = in_part(state) & dirty;
    n->dram_write += SECTOR * pop(dirty);
    n->dram_read += SECTOR * pop(part);
    n->sectors += pop(part);
    return (state | part) & ~(dirty << 4);
}

/* The way that holds the line; an absent line takes the oldest way. */
static inline unsigned find_or_take(sim_caches *c, l2_set *s, uint64_t line, sim_l2_count *n) {
    unsigned hit = ways_tagged(s, (uint32_t)line + 1);
    if (hit) {
        unsigned w = (unsigned)__builtin_ctz(hit);
        touch(s, w);
        return w;
    }
    unsigned w = (unsigned)__builtin_ctz(ways_aged(s, L2_WAYS - 1)), state = s->state[w];
    if (state >> 4) {
        c->partial_live -= in_part(state) != 0;
        write_back(state, state >> 4, n);
    }
    s->tag[w] = (uint32_t)line + 1;
    s->state[w] = 0;
    s->age = (s->age + 1) & (L2_WAYS - 1); /* all are older by one, and the oldest is the youngest */
    return w;
}

/* Masks of words and of sectors: the words of these sectors; the sectors with all eight of their words. */
static uint32_t words_of(unsigned sectors) {
    return (sectors * 0x204081u & 0x1010101) * 0xff;
}
static unsigned whole_sectors(uint32_t words) {
    uint32_t w = words & words >> 4;
    w &= w >> 2;
    w &= w >> 1;
    return (w & 0x1010101) * 0x10204080u >> 28;
}

/* Loads move 64 bytes: both sectors of a half line. */
static unsigned halves(unsigned sectors) {
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

/* L2 holds only so many lines in part: the oldest are completed and cleaned. */
static void line_in_part(sim_caches *c, uint64_t line, sim_l2_count *n) {
    if (c->partial_n < c->partial_cap) {
        uint32_t end = c->partial_first + c->partial_n++;
        c->partial[end >= c->partial_cap ? end - c->partial_cap : end] = line;
    }
    while (c->partial_n && (c->partial_live > c->partial_most || c->partial_n == c->partial_cap)) {
        uint64_t old = c->partial[c->partial_first];
        if (++c->partial_first == c->partial_cap) c->partial_first = 0;
        c->partial_n--;
        uint64_t h = hash(old);
        l2_set *s = &c->l2[home_of(c, h) * (size_t)c->sets + set_at(c, h, old)];
        int w = find(s, old);
        if (w < 0 || !in_part(s->state[w])) continue;
        s->state[w] = (uint8_t)write_back(s->state[w], in_part(s->state[w]), n);
        c->partial_live--;
    }
}

/* Where a line's sets are: at home, and on the asker's side if that is another. */
typedef struct {
    l2_set *home, *near;
} l2_place;

static inline l2_place place_of(const sim_caches *c, unsigned sm, uint64_t line) {
    uint64_t h = hash(line);
    l2_set *s = &c->l2[set_at(c, h, line)];
    if (c->parts == 1) return (l2_place){s, NULL};
    l2_set *other = s + c->sets;
    unsigned home = home_of(c, h);
    return (l2_place){home ? other : s, (sm & 1) == home ? NULL : home ? s : other};
}

/* Brings what an access will look at into the host's cache: of a set the tags, and beside them the ages. A store
 * only asks the near side whether the line is there. */
static inline void fetch_place(const sim_caches *c, l2_place at, bool load, bool part) {
    __builtin_prefetch(at.home, 1);
    __builtin_prefetch(&at.home->age, 1);
    if (part) __builtin_prefetch(&c->words[(size_t)(at.home - c->l2) * L2_WAYS], 1);
    if (!at.near) return;
    __builtin_prefetch(at.near, 1);
    if (load) __builtin_prefetch(&at.near->age, 1);
}

static inline unsigned access_at(sim_caches *c, l2_place at, uint64_t line, unsigned sectors, sim_l2_op op,
                                 uint32_t words, sim_l2_count *n) {
    unsigned count = pop(sectors), need = sectors;
    l2_set *s = at.near;
    if (s) { /* the near side first */
        n->sectors += count;
        if (op == SIM_L2_LOAD) {
            unsigned w = find_or_take(c, s, line, n), state = s->state[w], found = state & sectors;
            n->hits += pop(found);
            need = sectors & ~found;
            if (!need) return sectors;
            need = halves(need) & ~state & 15;
            s->state[w] = (uint8_t)(state | need);
        } else { /* a copy there is now stale */
            int w = find(s, line);
            if (w >= 0) s->state[w] &= (uint8_t)~sectors;
        }
    }
    s = at.home;
    unsigned w = find_or_take(c, s, line, n), state = s->state[w], valid = state & 15, miss = 0;
    unsigned was_part = in_part(state);
    n->sectors += pop(need);
    if (op == SIM_L2_STORE) {
        n->hits += pop(need & (valid | state >> 4));
        uint32_t *kept = &c->words[(size_t)(s - c->l2) * L2_WAYS + w];
        if (was_part) words |= *kept & words_of(was_part);
        state |= sectors << 4 | whole_sectors(words);
        if (in_part(state)) *kept = words;
    } else {
        n->hits += pop(need & valid);
        miss = need & ~valid;
        unsigned fetch = (op == SIM_L2_LOAD ? halves(miss) : miss) & ~valid;
        n->dram_read += (uint64_t)pop(fetch) * SECTOR;
        state |= fetch;
        if (op == SIM_L2_ATOM) state |= sectors << 4;
    }
    s->state[w] = (uint8_t)state;
    unsigned is_part = in_part(state);
    if (was_part && !is_part) c->partial_live--;
    if (is_part && !was_part) {
        c->partial_live++;
        line_in_part(c, line, n);
    }
    return sectors & ~miss;
}

static unsigned straight_to_dram(unsigned sectors, sim_l2_op op, sim_l2_count *n) {
    if (op != SIM_L2_STORE) n->dram_read += (uint64_t)pop(sectors) * SECTOR;
    if (op != SIM_L2_LOAD) n->dram_write += (uint64_t)pop(sectors) * SECTOR;
    return 0;
}

unsigned sim_l2_access(sim_caches *c, unsigned sm, uint64_t line, unsigned sectors, sim_l2_op op,
                       uint32_t words, sim_l2_count *n) {
    if (!c->sets) return straight_to_dram(sectors, op, n);
    return access_at(c, place_of(c, sm, line), line, sectors, op, words, n);
}

void sim_l2_feed(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n, sim_l2_count *to) {
    enum { AHEAD = 16 }; /* accesses whose sets are on their way from the host's memory */
    static const sim_l2_op ops[] = {
        [SIM_STREAM_LOAD] = SIM_L2_LOAD, [SIM_STREAM_STORE] = SIM_L2_STORE, [SIM_STREAM_ATOM] = SIM_L2_ATOM};
    sim_l2_count sum = {0};
    l2_place at[AHEAD];
    for (uint32_t i = 0; c->sets && i < n + AHEAD; i++) {
        if (i >= AHEAD) {
            sim_stream_entry *x = &e[i - AHEAD];
            x->hit = (uint8_t)access_at(c, at[i % AHEAD], x->line, x->sectors, ops[x->op], x->words, &sum);
        }
        if (i >= n) continue;
        at[i % AHEAD] = place_of(c, sm, e[i].line);
        fetch_place(c, at[i % AHEAD], e[i].op == SIM_STREAM_LOAD,
                    e[i].op == SIM_STREAM_STORE && whole_sectors(e[i].words) != e[i].sectors);
    }
    for (uint32_t i = 0; !c->sets && i < n; i++)
        e[i].hit = (uint8_t)straight_to_dram(e[i].sectors, ops[e[i].op], &sum);
    to->sectors += sum.sectors;
    to->hits += sum.hits;
    to->dram_read += sum.dram_read;
    to->dram_write += sum.dram_write;
}
