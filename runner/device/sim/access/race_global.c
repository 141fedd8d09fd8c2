/* Races in global memory inside one launch (sim_options.check_race_global): two threads access the
 * same word, at least one writes, and nothing orders them.
 *
 * A barrier between them orders threads of one block; a __syncwarp(), whatever its mask, those of
 * one warp. If a lane reads and another lane of its warp writes later, this is not a race, as in
 * race.c. Nor are accesses of the copy engine and of the warp that asked for them (race_bulk.c
 * reports those). In other cases, two warps are ordered only by a release (fence, atom.exch,
 * .release) in the one that came first and an acquire (fence, atom.cas, .acquire) after it in the
 * other. This is taken broadly, as any release and acquire of these warps, so that "the last block
 * sums up", locks and flags give no false alarm. But what a fence orders counts for other blocks
 * only when a strong store or an atomic has followed it in its block, since others cannot know of
 * it before; it acquires only what a strong load or an atomic of its block has read before it, and
 * such an atomic acquires without a further fence. And fences, accesses and atomics of .cta order
 * nothing for other blocks, for which such atomics are plain accesses. Between blocks, a release or
 * acquire by any warp counts for all warps of its block, because what one thread publishes, the
 * others may have written before a barrier. Atomics do not race with atomics, nor with volatile,
 * .relaxed and stronger accesses, nor these with each other. Storing the value that is there
 * already does not race with earlier accesses; later ones may race with it, because a mark does not
 * tell whether the value changed. A word that ld.global.nc or a texture reads must not have been
 * written in the launch at all, in whatever order: this is for "read-only data" (PTX ISA 9.7.9.9),
 * and no store of the launch reaches the cache of textures (CUDA C++ Programming Guide, "Read/Write
 * Coherency"). If accesses are narrower than a word, "word" means byte in all of this: threads may
 * use neighbouring bytes.
 *
 * For each word of the device range, of host memory that the device sees (managed, page-locked) and
 * of constant variables, these are kept:
 * the thread that last wrote, read and updated it, and the last reader of another warp. A line
 * whose words were accessed by warps in order, thread after thread, is kept as a few parts, each
 * with the words that one instruction of one warp accessed. If that is no longer possible, every
 * word of the line gets a cell of its own. If an access covers only some bytes of a word, the
 * word's four bytes get cells. All are in a reservation, of which only touched pages exist, and so
 * are the sites by number. Workers access these concurrently, so one of a few hundred locks is
 * taken for each line. Cells take 16 times the memory whose words they are of, and those of bytes
 * 64 times: a launch may touch ROOM bytes of cells. Beyond that nothing is noted any more, and the
 * launch fails (sim_access_launch_full()).
 *
 * If each lane of a warp reads its own row, word after word, nothing can race with that while
 * nobody writes to these lines. Such reads are gathered per warp, and noted in the lines later:
 * before the first write to any of these lines, and before the warp's block meets a barrier,
 * releases or acquires. Until then nothing tells which of several warps was the last reader.
 *
 * For races between launches (sim_launch.words), cells also keep which kinds of atomics updated the
 * word, and whether textures or volatile and stronger loads read it. */
#include "runner/device/sim/access/access_internal.h"
#include "runner/base/buffer.h"
#include "words/finding.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t ROOM = (uint64_t)4 << 30;
enum {
    PAGE = 4096,
    HUGE_PAGE = 2 << 20,
    LOCKS = 512,
    SITE_BITS = 16,
    EPOCH_BITS = 10,
    TID_BITS = 10,
    TID_AT = 26
};

/* access.when: a copy whose end its thread has not waited for writes the word (race_bulk.c). It
 * comes before nothing. */
#define FLYING UINT32_MAX

#define SYNC_MASK 0xfffu /* the bits that are kept of a warp's count of __syncwarp()s */

/* The thread: block + 1 << 36 | thread << 26 | epoch << 16 | site; 0: none */
typedef uint64_t race_who;
typedef struct {
    race_who id;
    uint32_t when; /* the launch's clock at that time */
    /* of `atomic`: its kinds, SIM_WORD_KIND; of the others: a site, see race_cell */
    uint16_t note;
    uint16_t noted : 1, /* there is such a site */
        sync : 12;      /* the warp's __syncwarp()s so far */
} access;
typedef struct {
    /* other: the last reader that is in another warp than reader. Also noted: in reader, the site
     * of a texture fetch; in other, that of a volatile or stronger load. */
    access writer, reader, other, atomic;
} race_cell;

/* Words of a line that threads of one warp accessed in one instruction: byte b of the line by the
 * thread that is b >> shift after that of `id`. POLLER: with a volatile or stronger load. */
typedef enum { READER, OTHER, WRITER, ATOMIC, POLLER } role;
enum {
    WORD_SHIFT = 2, /* the least shift of accesses that are not narrower than a word */
    WHOLE_SHIFT = 7 /* all bytes of the line are one thread's */
};
typedef struct {
    race_who id;
    uint32_t when, words; /* words: one bit each; 0: the part is not in use */
    uint8_t role, shift;
    uint16_t sync;
} race_part;
/* CELLS: one is not used, so that the cells of a column are in different sets of a host's cache. */
enum { WORDS = SIM_LINE_BYTES / 4, CELLS = WORDS + 1, PARTS = 5 };
typedef struct {
    race_part part[PARTS];
    uint32_t narrow;    /* split: the words whose bytes have cells of their own */
    bool split;         /* split into cells; the parts are meaningless */
    uint8_t touched;    /* of a page's first line */
    uint16_t held : 15, /* gathers with reads that are not noted here yet */
        stored : 1;     /* written or updated: no gather holds it from now on */
} line;
enum { SEEN = PAGE / sizeof(line) };
_Static_assert(SEEN * sizeof(line) == PAGE, "see() touches a page");

/* When a warp or a block released and acquired: values of the clock. */
enum { KEPT = 4 };
typedef struct {
    uint32_t acquired, releases;
    /* the latest releases, in a ring, and what others must have acquired since to know of them: a
     * fence is a release by the strong store or atomic that follows it */
    uint32_t released[KEPT], known[KEPT];
    uint32_t fenced;  /* of a block: such a fence that nothing has followed yet; 0: none */
    uint32_t proxied; /* of a block: its last fence.proxy.async */
    uint64_t met;     /* of a block: place of its last atomic, which may order nothing */
    /* Of a block, for the worker that runs it. looked: a strong load or an atomic has read since
     * its last fence; fences: there was one; due: an atomic behind it is about to acquire. */
    bool looked, fences, due;
} order;

/* Addresses whose words have cells; the first line is `first`. */
typedef struct {
    sim_addr base;
    uint64_t bytes, first;
} stretch;

/* Reads of one warp that are not noted in their lines yet: a window of words for each lane. */
enum { GAIN = 1024, PAYS = 8 }; /* PAYS: reads of a warp in a gather */
enum { GATHER_SLOTS = 256, WAYS = 4, STEPS = 16, WINDOW = 32, HELD_MOST = (1 << 15) - 1 };
typedef struct {
    race_who first;                    /* as in race_step, without the site */
    uint32_t when, words, mask, lanes; /* words: 0: not in use; lanes: last at their addresses */
    uint64_t addr[SIM_WARP_LANES], word[SIM_WARP_LANES]; /* where the lanes' windows begin */
    unsigned taken, steps;
    struct {
        const sim_site *site; /* the first of those at one source position */
        uint32_t words;
    } step[STEPS];
} gather;
/* Gathers of the warps that share the slot. */
typedef struct {
    unsigned next; /* way to use */
    struct {
        race_who first;
        uint64_t at;
    } last[STEPS]; /* the last scattered reads, by site */
    gather way[WAYS];
} gather_slot;

/* Of lines. Held for so short a time that a mutex of the system would take longer. `apart`: workers
 * near each other's lines disturb each other less. */
typedef struct {
    bool held;
    uint8_t apart[31];
} line_mutex;
static void line_mutex_lock(line_mutex *m) {
    enum { SPINS = 64 };
    for (unsigned n = 0; __atomic_exchange_n(&m->held, true, __ATOMIC_ACQUIRE); n++)
        if (n >= SPINS) sched_yield();
}
static void line_mutex_unlock(line_mutex *m) {
    __atomic_store_n(&m->held, false, __ATOMIC_RELEASE);
}

struct race_global {
    struct {
        pthread_mutex_t lock; /* taken before that of a line */
        bool any;             /* of the slot's ways may be in use */
    } gathers[GATHER_SLOTS];
    int64_t gain; /* gathers that paid, less those that did not; negative: no more of them */
    line *lines;  /* one reservation: lines, */
    const sim_site **site; /* by number, */
    race_cell *cells,      /* CELLS a line, */
        *bytes;            /* and SIM_LINE_BYTES a line, which few programs need, */
    gather_slot *slots;    /* and GATHER_SLOTS */
    uint64_t reserved;
    uint64_t room, taken; /* bytes that cells may take, and that they have taken */
    bool full;
    uint8_t *large;         /* for each HUGE_PAGE of cells: it is touched */
    uint8_t *seen;          /* for each SEEN lines: some thread was there */
    stretch device, *other; /* memory of the host and constant variables, by address */
    size_t other_count;
    uint64_t blocks;
    unsigned warps;
    bool by_word;        /* no line is kept in parts */
    uint32_t clock;      /* guarded by `time`, like the next fields */
    order *block, *warp; /* by block; by block and warp */
    pthread_mutex_t time;
    line_mutex lock[LOCKS];
};

static uint64_t lines_of(uint64_t bytes) {
    return bytes / SIM_LINE_BYTES + (bytes % SIM_LINE_BYTES != 0);
}

/* Adds the stretch after `lines` lines, unless it is empty, and empties it, so that it is added
 * once. Returns the number of lines so far. */
static uint64_t lay_out(race_global *g, stretch *s, uint64_t lines) {
    if (s->bytes) g->other[g->other_count++] = (stretch){s->base, s->bytes, lines * WORDS};
    lines += lines_of(s->bytes);
    s->bytes = 0;
    return lines;
}

/* Returns how many lines there are; 0: memory is out. */
static uint64_t lay_out_lines(race_global *g, const sim_memory *m) {
    const sim_alloc *x;
    size_t n = 0;
    unsigned device = sim_memory_device_index(m);
    while (sim_memory_mapped(m, n)) n++;
    if (!(g->other = calloc(n + 2, sizeof *g->other))) return 0;
    stretch own[2] = {{SIM_CONST_WINDOW(device), sim_memory_constants(m), 0}};
    own[1].base = sim_memory_heap(m, &own[1].bytes);
    g->device = (stretch){SIM_DEV_BASE(device), sim_memory_extent(m), 0};
    uint64_t lines = lines_of(g->device.bytes);
    for (size_t i = 0; (x = sim_memory_mapped(m, i)); i++) {
        for (unsigned k = 0; k < 2; k++)
            if (x->base > own[k].base) lines = lay_out(g, &own[k], lines);
        lines = lay_out(g, &(stretch){x->base, x->size, 0}, lines);
    }
    for (unsigned k = 0; k < 2; k++) lines = lay_out(g, &own[k], lines);
    return lines + 1;
}

/* Returns the index of a word over all stretches, and its stretch; UINT64_MAX and NULL: what is at
 * `at` is not watched. */
static uint64_t word_in(const race_global *g, uint64_t at, const stretch **in) {
    if (at - g->device.base < g->device.bytes) {
        *in = &g->device;
        return (at - g->device.base) / 4;
    }
    size_t lo = 0, hi = g->other_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->other[mid].base <= at) lo = mid + 1;
        else hi = mid;
    }
    const stretch *s = lo ? &g->other[lo - 1] : NULL;
    bool watched = s && at - s->base < s->bytes;
    *in = watched ? s : NULL;
    return watched ? s->first + (at - s->base) / 4 : UINT64_MAX;
}
static uint64_t race_word(const race_global *g, uint64_t at) {
    const stretch *in;
    return word_in(g, at, &in);
}

static void *reserve(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* A thread is at this line. The first one near it writes to the page: if it read first, the page
 * would be the host's page of zeros, and a later write to it stops every thread of the process. */
static void see(const race_global *g, uint64_t at) {
    uint8_t *seen = &g->seen[at / SEEN];
    if (__atomic_load_n(seen, __ATOMIC_RELAXED)) return;
    __atomic_store_n(&g->lines[at / SEEN * SEEN].touched, 1, __ATOMIC_RELAXED);
    __atomic_store_n(seen, 1, __ATOMIC_RELAXED);
}

race_global *sim_race_global_new(const sim_memory *m, uint64_t blocks, unsigned warps) {
    race_global *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    uint64_t lines = lay_out_lines(g, m),
             /* cells in whole pages */
        line_bytes = (lines * sizeof(line) + PAGE - 1) / PAGE * PAGE,
             site_bytes = sizeof *g->site << SITE_BITS;
    g->blocks = blocks;
    g->warps = warps;
    g->seen = calloc(lines / SEEN + 1, 1);
    g->block = calloc(blocks + 1, sizeof *g->block);
    g->warp = calloc(blocks * warps + 1, sizeof *g->warp);
    g->gain = GAIN;
    g->room = ROOM;
    g->large = calloc(lines * CELLS * sizeof(race_cell) / HUGE_PAGE + 2, 1);
    for (unsigned i = 0; i < GATHER_SLOTS; i++) pthread_mutex_init(&g->gathers[i].lock, NULL);
    pthread_mutex_init(&g->time, NULL);
    g->reserved = line_bytes + site_bytes + lines * (CELLS + SIM_LINE_BYTES) * sizeof(race_cell) +
                  GATHER_SLOTS * sizeof(gather_slot);
    uint8_t *room = lines ? reserve(g->reserved) : NULL;
    if (room) {
        g->lines = (line *)(void *)room;
        g->site = (const sim_site **)(void *)(room + line_bytes);
        g->cells = (race_cell *)(void *)(room + line_bytes + site_bytes);
        g->bytes = g->cells + lines * CELLS;
        g->slots = (gather_slot *)(void *)(g->bytes + lines * SIM_LINE_BYTES);
        /* With small pages, the faults take longer than the search. */
        madvise(g->lines, line_bytes, MADV_HUGEPAGE);
        madvise(g->cells, lines * CELLS * sizeof(race_cell), MADV_HUGEPAGE);
    }
    if (room && g->large && g->seen && g->block && g->warp) return g;
    sim_race_global_free(g);
    return NULL;
}

void sim_race_global_by_word(race_global *g) {
    g->by_word = true;
}

void sim_race_global_room(race_global *g, uint64_t bytes) {
    g->room = bytes;
}

bool sim_race_global_full(const race_global *g) {
    return __atomic_load_n(&g->full, __ATOMIC_RELAXED);
}

static void takes_room(race_global *g, uint64_t bytes) {
    if (__atomic_add_fetch(&g->taken, bytes, __ATOMIC_RELAXED) > g->room)
        __atomic_store_n(&g->full, true, __ATOMIC_RELAXED);
}

/* The cells of a line are touched for the first time. */
static void cells_take_room(race_global *g, uint64_t at) {
    uint64_t from = at * CELLS * sizeof(race_cell), to = from + CELLS * sizeof(race_cell) - 1;
    for (uint64_t page = from / HUGE_PAGE; page <= to / HUGE_PAGE; page++)
        if (!__atomic_exchange_n(&g->large[page], 1, __ATOMIC_RELAXED)) takes_room(g, HUGE_PAGE);
}

void sim_race_global_free(race_global *g) {
    if (!g) return;
    if (g->lines) munmap(g->lines, g->reserved);
    for (unsigned i = 0; i < GATHER_SLOTS; i++) pthread_mutex_destroy(&g->gathers[i].lock);
    pthread_mutex_destroy(&g->time);
    free(g->other);
    free(g->large);
    free(g->seen);
    free(g->block);
    free(g->warp);
    free(g);
}

/* Returns the clock's next value; `time` is held. */
static uint32_t tick(race_global *g) {
    return __atomic_add_fetch(&g->clock, 1, __ATOMIC_RELEASE);
}

/* `time` is held; published() reads without it. */
static void order_releases(order *o, uint32_t at, uint32_t now) {
    o->released[o->releases % KEPT] = at;
    o->known[o->releases % KEPT] = now;
    __atomic_store_n(&o->releases, o->releases + 1, __ATOMIC_RELEASE);
}

static void orders(sim_access *a, bool acquire, bool release, bool cta, bool fence) {
    race_global *g = a->launch->global_races;
    uint64_t b = a->block->linear;
    if (b >= g->blocks) return;
    sim_race_global_settle(g, b);
    if (release && a->launch->late) sim_late_release(a->launch->late, b, a->warp);
    order *both[] = {&g->warp[b * g->warps + a->warp], &g->block[b]};
    pthread_mutex_lock(&g->time);
    uint32_t now = tick(g);
    for (unsigned k = 0; k < (cta ? 1 : 2); k++) {
        bool blind = k && fence && !both[k]->looked && !a->block->cluster;
        if (k && fence) __atomic_store_n(&both[k]->fenced, now, __ATOMIC_RELEASE);
        else if (release) order_releases(both[k], now, now);
        if (acquire && !blind) __atomic_store_n(&both[k]->acquired, now, __ATOMIC_RELEASE);
    }
    if (fence && !cta) both[1]->looked = false, both[1]->fences = true;
    pthread_mutex_unlock(&g->time);
}

void sim_race_global_order(sim_access *a, bool acquire, bool release, bool cta) {
    orders(a, acquire, release, cta, false);
}

void sim_race_global_fence(sim_access *a, bool cta) {
    orders(a, true, true, cta, true);
}

/* Notes a strong access that reads. An atomic of a block that has executed a fence acquires what it
 * reads: "the last block sums up" reads the others' sums without a second fence. It does so only
 * when it has read: at the next access. */
static void order_looks(sim_access *a, bool strong_read, bool atomic) {
    race_global *g = a->launch->global_races;
    if (a->block->linear >= g->blocks) return;
    order *o = &g->block[a->block->linear];
    if (o->due) {
        sim_race_global_settle(g, a->block->linear);
        pthread_mutex_lock(&g->time);
        __atomic_store_n(&o->acquired, tick(g), __ATOMIC_RELEASE);
        pthread_mutex_unlock(&g->time);
        o->due = false;
    }
    if (!strong_read) return;
    o->looked = true;
    o->due = atomic && o->fences;
}

void sim_race_global_publish(sim_access *a) {
    race_global *g = a->launch->global_races;
    if (a->block->linear >= g->blocks) return;
    order *o = &g->block[a->block->linear];
    if (!__atomic_load_n(&o->fenced, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(&g->time);
    if (o->fenced) order_releases(o, o->fenced, tick(g));
    __atomic_store_n(&o->fenced, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&g->time);
}

void sim_race_global_proxy(sim_access *a) {
    race_global *g = a->launch->global_races;
    if (a->block->linear >= g->blocks) return;
    __atomic_store_n(&g->block[a->block->linear].proxied,
                     __atomic_load_n(&g->clock, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

void sim_race_global_meet(race_global *g, const uint64_t block[], unsigned n) {
    for (unsigned k = 0; k < n; k++) sim_race_global_settle(g, block[k]);
    pthread_mutex_lock(&g->time);
    uint32_t now = tick(g);
    for (unsigned k = 0; k < n; k++) {
        if (block[k] >= g->blocks) continue;
        order *o = &g->block[block[k]];
        order_releases(o, now, now);
        __atomic_store_n(&o->acquired, now, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&g->time);
}

static uint64_t block_of(race_who w) {
    return (w >> 36) - 1;
}
static unsigned race_global_thread(race_who w) {
    return w >> TID_AT & ((1 << TID_BITS) - 1);
}
static race_who part_who(const race_part *p, unsigned byte) {
    return p->id + ((uint64_t)(byte >> p->shift) << TID_AT);
}
static const sim_site *race_site(const race_global *g, race_who w) {
    return __atomic_load_n(&g->site[w & ((1 << SITE_BITS) - 1)], __ATOMIC_RELAXED);
}
/* Returns what a strong access that writes leaves in `note`. */
static uint16_t kinds_of(const sim_site *s) {
    return s->kind == SIM_ACCESS_ATOM ? s->changes : SIM_ATOM_STORE;
}
static access *access_of(race_cell *c, role r) {
    return r == WRITER   ? &c->writer
           : r == ATOMIC ? &c->atomic
           : r == OTHER  ? &c->other
                         : &c->reader;
}

/* Adds to a cell what a part says about one of its bytes. */
static void cell_takes(const race_global *g, race_cell *c, const race_part *p, unsigned byte) {
    race_who id = part_who(p, byte);
    if (p->role == POLLER) {
        c->other.note = (uint16_t)(id & ((1 << SITE_BITS) - 1)), c->other.noted = 1;
        return;
    }
    access *a = access_of(c, p->role);
    a->id = id;
    a->when = p->when;
    a->sync = p->sync & SYNC_MASK;
    if (p->role == ATOMIC) a->note = kinds_of(race_site(g, id));
}
/* Converts the parts of a line to cells of those words. */
static void cells_from(const race_global *g, const line *x, uint32_t words, race_cell to[WORDS]) {
    if (words & (words - 1)) memset(to, 0, WORDS * sizeof *to);
    else to[__builtin_ctz(words)] = (race_cell){0};
    for (unsigned k = 0; k < PARTS; k++)
        for (uint32_t m = x->part[k].words & words; m; m &= m - 1) {
            unsigned w = (unsigned)__builtin_ctz(m);
            cell_takes(g, &to[w], &x->part[k], w * 4);
        }
}
/* Gives the bytes of those words cells. The line is not split yet. */
static void bytes_from(const race_global *g, const line *x, uint32_t words,
                       race_cell to[SIM_LINE_BYTES]) {
    for (; words; words &= words - 1) {
        unsigned w = (unsigned)__builtin_ctz(words);
        for (unsigned b = w * 4; b < w * 4 + 4; b++) {
            to[b] = (race_cell){0};
            for (unsigned k = 0; k < PARTS; k++)
                if (x->part[k].words >> w & 1) cell_takes(g, &to[b], &x->part[k], b);
        }
    }
}
static race_cell *cell_at(const race_global *g, uint64_t word) {
    return &g->cells[word / WORDS * CELLS + word % WORDS];
}
/* Returns the cell of a word, whose lock is held; meaningless if the word is narrow. */
static race_cell *cell_of(race_global *g, uint64_t word) {
    line *x = &g->lines[word / WORDS];
    uint64_t first = word / WORDS * WORDS;
    if (!x->split) {
        x->narrow = 0;
        for (unsigned k = 0; k < PARTS; k++)
            if (x->part[k].shift < WORD_SHIFT) x->narrow |= x->part[k].words;
        cells_take_room(g, word / WORDS);
        if (x->narrow) takes_room(g, SIM_LINE_BYTES * sizeof(race_cell));
        cells_from(g, x, UINT32_MAX, cell_at(g, first));
        bytes_from(g, x, x->narrow, &g->bytes[first * 4]);
    }
    x->split = true;
    return cell_at(g, word);
}
/* Returns the cells of bytes of a word, whose lock is held, for an access to n bytes from byte `at`
 * of the word on; NULL: the word has one cell, and the access covers all of it. */
static race_cell *bytes_of(race_global *g, uint64_t word, unsigned at, unsigned n) {
    line *x = &g->lines[word / WORDS];
    const race_cell *whole = cell_of(g, word);
    race_cell *bytes = &g->bytes[word * 4];
    uint32_t bit = 1u << word % WORDS;
    if (!(x->narrow & bit)) {
        if (n == 4) return NULL;
        if (!x->narrow) takes_room(g, SIM_LINE_BYTES * sizeof(race_cell));
        for (unsigned b = 0; b < 4; b++) bytes[b] = *whole;
        x->narrow |= bit;
    }
    return bytes + at;
}
static line_mutex *lock_of(race_global *g, uint64_t word) {
    return &g->lock[word / WORDS % LOCKS];
}

/* Returns whether `from` released after `when`, and `to` acquired after that. A release that is too
 * old to be kept counts. */
static bool published(race_global *g, const order *from, uint32_t when, const order *to) {
    /* Most kernels release nothing: seeing that needs no lock. */
    if (!__atomic_load_n(&from->releases, __ATOMIC_ACQUIRE) ||
        __atomic_load_n(&to->acquired, __ATOMIC_ACQUIRE) <= when)
        return false;
    pthread_mutex_lock(&g->time);
    bool yes = from->releases > KEPT && to->acquired > when &&
               from->released[from->releases % KEPT] > when;
    for (unsigned k = 0; k < KEPT; k++)
        yes |= from->released[k] > when && to->acquired >= from->known[k];
    pthread_mutex_unlock(&g->time);
    return yes;
}

static bool one_warp(race_who a, race_who b) {
    return a >> (TID_AT + 5) == b >> (TID_AT + 5);
}
/* Returns whether two accesses of one warp need no further check. */
static bool in_step(const race_global *g, const access *old, role was, race_who me, unsigned sync,
                    bool bulk) {
    if (was == READER || was == OTHER || bulk || old->id >> TID_AT == me >> TID_AT) return true;
    const sim_site *s = race_site(g, old->id);
    return old->sync != sync || (s && s->flags & SIM_SITE_BULK);
}

/* Returns whether `me` reads by the copy engine what a thread has written, and neither block has
 * executed a fence between the proxies since. */
static bool unproxied(const race_global *g, const access *old, race_who me, unsigned how,
                      bool bulk) {
    const sim_site *s = bulk && how & RACE_READ ? race_site(g, old->id) : NULL;
    return s && !(s->flags & SIM_SITE_BULK) &&
           __atomic_load_n(&g->block[block_of(old->id)].proxied, __ATOMIC_ACQUIRE) <= old->when &&
           __atomic_load_n(&g->block[block_of(me)].proxied, __ATOMIC_ACQUIRE) <= old->when;
}

/* Returns whether the access of `old` comes before the present one of `me`. sync: __syncwarp()s of
 * my warp so far; bulk: the copy engine makes the access. */
static bool race_global_ordered(race_global *g, access old, role was, race_who me, unsigned sync,
                                bool bulk) {
    uint64_t ob = block_of(old.id), b = block_of(me);
    if (old.when == FLYING) return false;
    if (ob != b) return published(g, &g->block[ob], old.when, &g->block[b]);
    unsigned ow = race_global_thread(old.id) / SIM_WARP_LANES,
             w = race_global_thread(me) / SIM_WARP_LANES;
    if (ow == w && in_step(g, &old, was, me, sync, bulk)) return true;
    return ((old.id ^ me) >> SITE_BITS & ((1 << EPOCH_BITS) - 1)) ||
           published(g, &g->warp[ob * g->warps + ow], old.when, &g->warp[b * g->warps + w]);
}

static const lib_words copy_writes = {.id = W_FINDING_REMEDY_COPY_WRITES},
                       no_proxy_fence = {.id = W_FINDING_REMEDY_PROXY};

static uint64_t met_of(const race_global *g, uint64_t block) {
    return __atomic_load_n(&g->block[block].met, __ATOMIC_RELAXED);
}

static void race_global_report(sim_access *a, const sim_site *s, unsigned lane, uint64_t addr,
                               unsigned how, race_who old, bool old_writes, bool old_atomic,
                               const lib_words *remedy) {
    static const lib_words written = {.id = W_FINDING_REMEDY_CONSTANT},
                           texture = {.id = W_FINDING_REMEDY_TEXTURE},
                           no_fence = {.id = W_FINDING_REMEDY_FENCE};
    race_global *g = a->launch->global_races;
    const sim_site *site = race_site(g, old);
    uint64_t other = block_of(old), met = other < g->blocks ? met_of(g, other) : 0;
    bool apart = other != a->block->linear;
    if (s->flags & SIM_SITE_CONSTANT) remedy = &written;
    if (s->kind == SIM_ACCESS_TEX) remedy = &texture;
    if (!remedy && apart && met && met == met_of(g, a->block->linear)) remedy = &no_fence;
    if (!remedy && old_atomic == (site && site->kind == SIM_ACCESS_ATOM) &&
        sim_access_told(a, s, site, how & RACE_WRITE, old_writes, old_atomic,
                        apart || race_global_thread(old) / SIM_WARP_LANES != a->warp))
        return;
    sim_event e =
        sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_GLOBAL, lane, s->elem * s->vec, addr);
    e.write = how & RACE_WRITE;
    e.has_other = true;
    e.other_block = other;
    e.other_thread = race_global_thread(old);
    e.other_write = old_writes;
    e.other_atomic = old_atomic;
    if (site) {
        e.other_loc = site->loc;
        e.other_ptx_line = site->ptx_line;
    }
    e.detail = remedy;
    sim_access_report(a, &e);
}

/* Returns whether n bytes, a word or fewer, from `off` on of what the lane is about to store are
 * there already. */
static bool same_value(const sim_access *a, const sim_site *s, const void *const src[],
                       unsigned lane, uint64_t addr, unsigned off, unsigned n) {
    uint8_t value[64];
    const void *at = sim_memory_host(a->launch->c.memory, addr + off, n);
    if (!at || !sim_site_stored(s, src, lane, value)) return false;
    if (n == 1) return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED) == value[off];
    uint32_t now = __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
    return !memcmp(&now, value + off, 4);
}

/* An access, prepared for the search. */
typedef struct {
    unsigned how; /* RACE_READ, RACE_WRITE */
    bool strong;
    role leaves;
    race_who first; /* thread of lane 0 of the warp */
    uint32_t when;
    unsigned sync;
    bool bulk, constant, cta;
    uint16_t kinds; /* ATOMIC: kinds_of() */
} race_step;

/* Returns whether the atomic `old` may race with the present access. Those of the scope of a block
 * are not atomic for other blocks. */
static bool against_atomic(const race_global *g, const race_step *t, race_who old) {
    if (!t->strong || block_of(old) == block_of(t->first)) return !t->strong;
    const sim_site *s = race_site(g, old);
    return t->cta || (s && s->flags & SIM_SITE_CTA);
}

/* Returns whether an earlier access in this role may race with the present one. */
static bool against(const race_global *g, const race_step *t, role r, race_who old) {
    return r == WRITER || (r == ATOMIC && against_atomic(g, t, old)) ||
           ((r == READER || r == OTHER) && t->how & RACE_WRITE);
}

/* Drops the words' last accesses in the role. */
static void line_forgets(line *x, role r, uint32_t words) {
    for (unsigned k = 0; k < PARTS; k++)
        if (x->part[k].role == r) x->part[k].words &= ~words;
}
static race_part *line_room(line *x) {
    for (unsigned k = 0; k < PARTS; k++)
        if (!x->part[k].words) return &x->part[k];
    return NULL;
}

/* Keeps readers of another warp besides the new one. Returns false if there is no room. */
static bool line_keeps_readers(line *x, const race_part *mine) {
    for (unsigned k = 0; k < PARTS; k++) {
        race_part *p = &x->part[k], was = *p;
        was.words &= mine->words;
        if (p->role != READER || !was.words || one_warp(p->id, mine->id)) continue;
        line_forgets(x, OTHER, was.words);
        p->words &= ~was.words;
        was.role = OTHER;
        race_part *room = p->words ? line_room(x) : p;
        for (unsigned o = 0; o < PARTS; o++) {
            race_part *old = &x->part[o];
            if (old->words && old->role == OTHER && old->id == was.id && old->when == was.when &&
                old->sync == was.sync && old->shift == was.shift)
                was.words |= old->words, room = old;
        }
        if (!room) return false;
        *room = was;
    }
    return true;
}

/* The part's words of a line, whose lock is held, are accessed. Returns false, and leaves
 * everything unchanged, if one of them may be a race, or if the line cannot be kept in parts. many:
 * other lanes access the words, too. */
static bool line_takes(race_global *g, line *x, const race_step *t, const race_part *mine,
                       bool many) {
    if (x->split) return false;
    for (unsigned k = 0; k < PARTS; k++) {
        const race_part *p = &x->part[k];
        uint32_t both = p->words & mine->words;
        if (both && p->role == ATOMIC && mine->role == ATOMIC &&
            kinds_of(race_site(g, p->id)) != t->kinds)
            return false; /* a part keeps one kind of atomics */
        if (!both || !against(g, t, p->role, p->id)) continue;
        unsigned w = 4 * (unsigned)__builtin_ctz(both);
        access old = {.id = part_who(p, w), .when = p->when, .sync = p->sync & SYNC_MASK};
        race_who me = part_who(mine, w);
        /* One warp, so one word stands for all, unless it is the same warp in another order. */
        if (old.id >> TID_AT == me >> TID_AT && (p->shift != mine->shift || many))
            me ^= (race_who)1 << TID_AT;
        if (t->constant || !race_global_ordered(g, old, p->role, me, t->sync, t->bulk) ||
            unproxied(g, &old, me, t->how, t->bulk))
            return false;
    }
    line as = *x;
    if (mine->role == READER && !line_keeps_readers(&as, mine)) return false;
    line_forgets(&as, mine->role, mine->words);
    for (unsigned k = 0; k < PARTS; k++) {
        race_part *p = &as.part[k];
        if (!p->words || p->id != mine->id || p->when != mine->when || p->sync != mine->sync ||
            p->role != mine->role || p->shift != mine->shift)
            continue;
        p->words |= mine->words;
        *x = as;
        return true;
    }
    race_part *room = line_room(&as);
    if (!room) return false;
    *room = *mine;
    *x = as;
    return true;
}

/* ---- gathered reads */

static const stretch *window_in(const race_global *g, uint64_t at, uint64_t *word) {
    const stretch *in[2];
    *word = word_in(g, at, &in[0]);
    word_in(g, at + 4 * WINDOW - 1, &in[1]);
    return in[0] == in[1] ? in[0] : NULL;
}

/* A warp's lane read these words of a line, in which nobody writes; the line's lock is held. */
static void line_reads(race_global *g, uint64_t at, const race_part *mine) {
    static const race_step t = {.how = RACE_READ, .leaves = READER};
    if (line_takes(g, &g->lines[at], &t, mine, false)) return;
    for (uint32_t m = mine->words; m; m &= m - 1) {
        uint64_t word = at * WORDS + (unsigned)__builtin_ctz(m);
        race_cell *c = bytes_of(g, word, 0, 4);
        for (unsigned b = 0, n = c ? 4 : 1; b < n; b++) {
            race_cell *x = c ? &c[b] : cell_at(g, word);
            if (x->reader.id && !one_warp(x->reader.id, mine->id))
                x->other.id = x->reader.id, x->other.when = x->reader.when,
                x->other.sync = x->reader.sync;
            x->reader.id = mine->id, x->reader.when = mine->when,
            x->reader.sync = mine->sync & SYNC_MASK;
        }
    }
}

/* Notes what a gather has of a lane in one of the two lines of its window; the slot is held. */
static void gather_note(race_global *g, const gather *x, unsigned l, unsigned second) {
    unsigned from = (unsigned)(x->word[l] % WORDS);
    uint64_t at = x->word[l] / WORDS + second;
    line_mutex *lock = lock_of(g, at * WORDS);
    line_mutex_lock(lock);
    for (unsigned k = 0; k < x->steps; k++) {
        uint64_t words = (uint64_t)x->step[k].words << from;
        race_part mine = {.id = x->first | ((uint64_t)l << TID_AT) |
                                (x->step[k].site->id & ((1 << SITE_BITS) - 1)),
                          .when = x->when,
                          .words = (uint32_t)(second ? words >> WORDS : words),
                          .role = READER,
                          .shift = WHOLE_SHIFT};
        if (mine.words) line_reads(g, at, &mine);
    }
    g->lines[at].held--;
    line_mutex_unlock(lock);
}

static void gains(race_global *g, bool paid) {
    int64_t now = __atomic_load_n(&g->gain, __ATOMIC_RELAXED);
    if (!paid || now < GAIN) __atomic_add_fetch(&g->gain, paid ? 1 : -1, __ATOMIC_RELAXED);
}

/* Notes what a gather has, and empties it; the slot is held. */
static void gather_ends(race_global *g, gather *x) {
    if (!x->words) return;
    for (uint32_t m = x->lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k <= (x->word[l] % WORDS ? 1u : 0u); k++) gather_note(g, x, l, k);
    }
    gains(g, x->taken >= PAYS);
    x->words = 0;
}

static void slot_ends(race_global *g, unsigned slot) {
    if (!__atomic_load_n(&g->gathers[slot].any, __ATOMIC_RELAXED)) return;
    pthread_mutex_lock(&g->gathers[slot].lock);
    for (unsigned k = 0; k < WAYS; k++) gather_ends(g, &g->slots[slot].way[k]);
    __atomic_store_n(&g->gathers[slot].any, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&g->gathers[slot].lock);
}
static void gathers_end(race_global *g) {
    for (unsigned k = 0; k < GATHER_SLOTS; k++) slot_ends(g, k);
}

static unsigned slot_of(const race_global *g, uint64_t block, unsigned warp) {
    return (unsigned)((block * g->warps + warp) % GATHER_SLOTS);
}
void sim_race_global_settle(race_global *g, uint64_t block) {
    for (unsigned w = 0; w < g->warps; w++) slot_ends(g, slot_of(g, block, w));
}

/* Returns whether a gather now holds the line. */
static bool line_held(race_global *g, uint64_t at) {
    see(g, at);
    line_mutex *lock = lock_of(g, at * WORDS);
    line_mutex_lock(lock);
    line *x = &g->lines[at];
    bool yes = !x->stored && x->held < HELD_MOST;
    x->held += yes;
    line_mutex_unlock(lock);
    return yes;
}

/* Holds the lines of all lanes' windows; none, and returns false, if one is written. */
static bool gather_holds(race_global *g, gather *x) {
    for (uint32_t m = x->lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), k = 0;
        bool held = x->addr[l] % 4 == 0 && window_in(g, x->addr[l], &x->word[l]);
        if (held)
            for (held = false; k <= (x->word[l] % WORDS ? 1u : 0u); k++)
                if (!(held = line_held(g, x->word[l] / WORDS + k))) break;
        if (held) continue;
        gains(g, false);
        x->steps = 0; /* only drops */
        while (k) gather_note(g, x, l, --k);
        for (uint32_t back = x->lanes & ((1u << l) - 1); back; back &= back - 1) {
            l = (unsigned)__builtin_ctz(back);
            for (k = 0; k <= (x->word[l] % WORDS ? 1u : 0u); k++) gather_note(g, x, l, k);
        }
        return false;
    }
    return true;
}

/* Returns whether all lanes are equally far behind where they were. */
static bool all_moved(const uint64_t was[SIM_WARP_LANES], const uint64_t addr[SIM_WARP_LANES],
                      uint32_t mask, uint64_t by) {
    uint64_t other = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        other |= (addr[l] - was[l] - by) & -(uint64_t)(mask >> l & 1);
    return !other;
}

/* Returns whether the read is in the window, and adds it. moved: from where the window begins. */
static bool gather_adds(gather *x, const sim_site *s, uint64_t moved, unsigned size) {
    unsigned k = 0;
    if (moved + size > 4 * WINDOW) return false;
    while (k < x->steps && x->step[k].site != s && (!s->loc || x->step[k].site->loc != s->loc)) k++;
    if (k == STEPS) return false;
    if (k == x->steps) x->step[x->steps++].words = 0, x->step[k].site = s;
    uint32_t words = (uint32_t)(((UINT64_C(1) << size / 4) - 1) << moved / 4);
    for (unsigned o = 0; o < x->steps; o++) x->step[o].words &= ~words;
    x->step[k].words |= words;
    x->words |= words;
    x->taken++;
    return true;
}

static bool gather_starts(race_global *g, gather *x, const race_step *t, const sim_site *s,
                          unsigned size, const uint64_t addr[SIM_WARP_LANES], uint32_t mask) {
    gather_ends(g, x);
    if (__atomic_load_n(&g->gain, __ATOMIC_RELAXED) < 0) return false;
    x->first = t->first >> SITE_BITS << SITE_BITS;
    x->when = t->when;
    x->mask = x->lanes = mask;
    x->taken = x->steps = 0;
    memcpy(x->addr, addr, sizeof x->addr);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (uint32_t later = m & (m - 1); later; later &= later - 1)
            if (addr[__builtin_ctz(later)] == addr[l]) {
                x->lanes &= ~(1u << l);
                break;
            }
    }
    return gather_holds(g, x) && gather_adds(x, s, 0, size);
}

/* The host's memory is slow: a loop's next cell is asked for early, and so is that of a lane whose
 * turn comes soon, with the line. */
static void fetch_cell(const race_global *g, uint64_t at) {
    uint64_t word = race_word(g, at);
    if (word == UINT64_MAX) return;
    const line *x = &g->lines[word / WORDS];
    __builtin_prefetch(x, 1);
    __builtin_prefetch(&x->split, 1);
    __builtin_prefetch(cell_at(g, word), 1);
}

/* Scattered lanes read words. Returns whether the reads are gathered. */
static bool gathered(race_global *g, const race_step *t, const sim_site *s, unsigned size,
                     const uint64_t addr[SIM_WARP_LANES], uint32_t mask) {
    if (t->leaves != READER || t->bulk || size % 4 ||
        __atomic_load_n(&g->gain, __ATOMIC_RELAXED) < 0)
        return false;
    unsigned l = (unsigned)__builtin_ctz(mask);
    race_who first = t->first >> SITE_BITS << SITE_BITS;
    unsigned slot = slot_of(g, block_of(first), race_global_thread(first) / SIM_WARP_LANES);
    gather_slot *in = &g->slots[slot];
    bool yes = false, known = false;
    pthread_mutex_lock(&g->gathers[slot].lock);
    __atomic_store_n(&g->gathers[slot].any, true, __ATOMIC_RELAXED);
    for (unsigned k = 0; k < WAYS && !known; k++) {
        gather *x = &in->way[k];
        uint64_t moved = addr[l] - x->addr[l];
        if (!x->words || x->mask != mask || moved >= 8 * WINDOW || moved % 4 ||
            !all_moved(x->addr, addr, mask, moved))
            continue;
        known = true;
        yes = (x->first == first && x->when == t->when && gather_adds(x, s, moved, size)) ||
              gather_starts(g, x, t, s, size, addr, mask);
    }
    if (!known) { /* the second such read of a loop begins a gather */
        unsigned h = s->id % STEPS;
        yes = in->last[h].first == t->first && addr[l] - in->last[h].at - 1 < 4 * WINDOW &&
              gather_starts(g, &in->way[in->next++ % WAYS], t, s, size, addr, mask);
        if (!yes && in->last[h].first == t->first) {
            fetch_cell(g, addr[l] + (addr[l] - in->last[h].at));
            fetch_cell(g, addr[31 - __builtin_clz(mask)] + (addr[l] - in->last[h].at));
        }
        in->last[h].first = t->first;
        in->last[h].at = addr[l];
    }
    pthread_mutex_unlock(&g->gathers[slot].lock);
    return yes;
}

/* Locks a line for an access, before which all reads of the line that it may race with are noted.
 */
static line_mutex *line_lock(race_global *g, const race_step *t, uint64_t word) {
    line *x = &g->lines[word / WORDS];
    line_mutex *lock = lock_of(g, word);
    see(g, word / WORDS);
    line_mutex_lock(lock);
    if (!(t->how & RACE_WRITE)) return lock;
    x->stored = 1;
    while (x->held) {
        line_mutex_unlock(lock);
        gathers_end(g);
        line_mutex_lock(lock);
    }
    return lock;
}

/* Handles, line by line, lanes whose words follow each other, lane by lane, or, `same`, are equal.
 * Returns the lanes that are left, which must be checked word by word: those of lines that could
 * not take them, or all. */
static uint32_t by_lines(race_global *g, const race_step *t, unsigned size, bool same,
                         const uint64_t addr[SIM_WARP_LANES], uint32_t lanes) {
    unsigned first = (unsigned)__builtin_ctz(lanes), last = 31u - (unsigned)__builtin_clz(lanes),
             each = size / 4, shift = (unsigned)__builtin_ctz(each);
    const stretch *in[2];
    uint64_t word = word_in(g, addr[first], &in[0]);
    word_in(g, addr[last] + size - 1, &in[1]);
    if (!in[0] || in[0] != in[1] || each & (each - 1) || word & (each - 1)) return lanes;
    uint32_t left = 0;
    for (unsigned l = first; l <= last;) {
        unsigned w = word % WORDS, room = (WORDS - w) / each,
                 n = same || room > SIM_WARP_LANES - l ? SIM_WARP_LANES - l : room;
        uint32_t here = lanes & (uint32_t)(((UINT64_C(1) << n) - 1) << l);
        race_part mine = {.when = t->when,
                          .sync = (uint16_t)t->sync,
                          .role = (uint8_t)t->leaves,
                          .shift = (uint8_t)(WORD_SHIFT + shift)};
        for (uint32_t m = same ? 1u << l : here; m; m &= m - 1)
            mine.words |= (uint32_t)(((UINT64_C(1) << each) - 1)
                                     << (w + ((unsigned)__builtin_ctz(m) - l) * each));
        mine.id =
            t->first + ((uint64_t)(same ? last : l) << TID_AT) - ((uint64_t)(w >> shift) << TID_AT);
        if (here) {
            line_mutex *lock = line_lock(g, t, word);
            if (!line_takes(g, &g->lines[word / WORDS], t, &mine, same && first != last))
                left |= here;
            line_mutex_unlock(lock);
        }
        l += n;
        word += n * each;
    }
    return left;
}

/* The same for lanes of 1 or 2 bytes that follow each other. Words of which some bytes are left out
 * are among those left. */
static uint32_t by_lines_narrow(race_global *g, const race_step *t, unsigned size,
                                const uint64_t addr[SIM_WARP_LANES], uint32_t lanes) {
    const stretch *in[2];
    unsigned first = (unsigned)__builtin_ctz(lanes), last = 31u - (unsigned)__builtin_clz(lanes),
             shift = size - 1, per_word = 4 >> shift;
    uint64_t at = word_in(g, addr[first], &in[0]) * 4 + addr[first] % 4;
    word_in(g, addr[last] + size - 1, &in[1]);
    if (!in[0] || in[0] != in[1] || at % size) return lanes;
    /* the lane of byte 0 of the stretches */
    int64_t zero = (int64_t)first - (int64_t)(at >> shift);
    uint64_t end = at + (uint64_t)(last - first + 1) * size, word = (at + 3) / 4;
    uint32_t left = lanes, four = (1u << per_word) - 1;
    while ((word + 1) * 4 <= end) {
        uint64_t x = word / WORDS;
        uint32_t taken = 0;
        race_part mine = {
            .id = t->first + ((uint64_t)(zero + (int64_t)(x * SIM_LINE_BYTES >> shift)) << TID_AT),
            .when = t->when,
            .sync = (uint16_t)t->sync,
            .role = (uint8_t)t->leaves,
            .shift = (uint8_t)shift};
        for (; word / WORDS == x && (word + 1) * 4 <= end; word++) {
            uint32_t here = four << (zero + (int64_t)(word * 4 >> shift));
            if ((lanes & here) != here) continue;
            mine.words |= 1u << word % WORDS;
            taken |= here;
        }
        if (!mine.words) continue;
        line_mutex *lock = line_lock(g, t, x * WORDS);
        if (line_takes(g, &g->lines[x], t, &mine, false)) left &= ~taken;
        line_mutex_unlock(lock);
    }
    return left;
}

/* The lanes of an access that are checked word by word. */
typedef struct {
    sim_access *a;
    const sim_site *s;
    const race_step *t;
    const uint64_t *addr;
    uint32_t lanes;
    const void *const *src;
} race_lanes;

/* Lane l accesses a cell, which has the n bytes from `off` on of the lane's bytes. Returns whether
 * this is a race; `report`: which is to be reported. */
static inline __attribute__((always_inline)) bool
by_cell(const race_lanes *x, race_cell *c, unsigned l, unsigned off, unsigned n, bool report) {
    const race_step *t = x->t;
    race_global *g = x->a->launch->global_races;
    race_who me = t->first + ((uint64_t)l << TID_AT), old = 0;
    const race_who w = c->writer.id;
    bool writes = t->how & RACE_WRITE, wrote = false, updated = false;
    const lib_words *remedy = NULL;
#define RACE_ORDERED(who, was)                                                                     \
    (!t->constant && race_global_ordered(g, c->who, was, me, t->sync, t->bulk))
#define RACE_SAME same_value(x->a, x->s, x->src, l, x->addr[l], off, n)
    /* lanes of one store that write to the same place: stores_differ() */
    bool together = t->how == RACE_WRITE && w && one_warp(w, me) &&
                    x->lanes >> (w >> TID_AT & 31) & 1 && x->addr[w >> TID_AT & 31] == x->addr[l];
    if (w && !together && !RACE_ORDERED(writer, WRITER) && !(t->how == RACE_WRITE && RACE_SAME))
        old = w, wrote = true, remedy = c->writer.when == FLYING ? &copy_writes : NULL;
    else if (c->atomic.id && against_atomic(g, t, c->atomic.id) && !RACE_ORDERED(atomic, ATOMIC))
        old = c->atomic.id, wrote = updated = true,
        remedy = c->atomic.when == FLYING ? &copy_writes : NULL;
    else if (w && unproxied(g, &c->writer, me, t->how, t->bulk))
        old = w, wrote = true, remedy = &no_proxy_fence;
    else if (writes && !RACE_SAME) {
        if (c->reader.id && !RACE_ORDERED(reader, READER)) old = c->reader.id;
        else if (c->other.id && !RACE_ORDERED(other, OTHER)) old = c->other.id;
    }
#undef RACE_ORDERED
#undef RACE_SAME
    if (old && report)
        race_global_report(x->a, x->s, l, x->addr[l] + off, t->how, old, wrote, updated, remedy);
    if (t->leaves == POLLER) {
        c->other.note = (uint16_t)(me & ((1 << SITE_BITS) - 1)), c->other.noted = 1;
        return old;
    }
    access *mine = access_of(c, t->leaves);
    if (t->leaves == READER && mine->id && !one_warp(mine->id, me))
        c->other.id = mine->id, c->other.when = mine->when, c->other.sync = mine->sync;
    if (t->leaves == ATOMIC) mine->note |= t->kinds;
    mine->id = me, mine->when = t->when, mine->sync = t->sync & SYNC_MASK;
    return old;
}

/* Returns the lanes behind the first one, if the next of them accesses `at`; otherwise 0. */
static inline uint32_t next_at(const uint64_t addr[SIM_WARP_LANES], uint32_t lanes, uint64_t at) {
    uint32_t to = lanes & (lanes - 1);
    return to && addr[__builtin_ctz(to)] == at ? to : 0;
}

/* size: bytes of each lane. */
static void by_words(sim_access *a, const sim_site *s, const race_step *t, unsigned size,
                     const uint64_t addr[SIM_WARP_LANES], uint32_t lanes, const void *const src[]) {
    enum { SOON = 8 };
    race_global *g = a->launch->global_races;
    const race_lanes x = {a, s, t, addr, lanes, src};
    line_mutex *held = NULL; /* neighbours have the same line */
    uint64_t in = UINT64_MAX;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (m >> l >> SOON & 1) fetch_cell(g, addr[l + SOON]);
        for (unsigned off = 0, n; off < size; off += n) {
            uint64_t at = addr[l] + off, word = race_word(g, at);
            n = size - off < 4 - at % 4 ? size - off : 4 - (unsigned)(at % 4);
            if (word == UINT64_MAX) continue;
            if (word / WORDS != in) {
                if (held) line_mutex_unlock(held);
                held = line_lock(g, t, word);
                in = word / WORDS;
            }
            race_cell *c = bytes_of(g, word, at % 4, n), *whole = cell_at(g, word);
            /* Of lanes that read the same, which nobody writes, the last leaves the mark. */
            bool quiet = t->leaves == READER && n == size && !t->bulk && !c && !whole->writer.id &&
                         !whole->atomic.id;
            for (uint32_t to; quiet && (to = next_at(addr, m, at));)
                m = to, l = (unsigned)__builtin_ctz(to);
            if (!c && by_cell(&x, whole, l, off, 4, true) && t->leaves == READER && n == size &&
                !t->bulk && !one_warp(whole->writer.id, t->first) &&
                !one_warp(whole->atomic.id, t->first)) {
                /* The race of one lane with another warp is that of all that read the same. */
                uint32_t left;
                while ((left = next_at(addr, m, at))) m = left, a->latest->count++;
                if (l != (unsigned)__builtin_ctz(m))
                    by_cell(&x, whole, l = (unsigned)__builtin_ctz(m), off, 4, false);
            }
            bool told = false;
            for (unsigned b = 0; c && b < n; b++) told |= by_cell(&x, &c[b], l, off + b, 1, !told);
        }
    }
    if (held) line_mutex_unlock(held);
}

/* Returns the first of the lanes, and those that follow it, each `size` after the one before. */
static uint32_t run_of(const uint64_t addr[SIM_WARP_LANES], uint32_t lanes, unsigned size) {
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint32_t run = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (addr[l] != addr[first] + (l - first) * (uint64_t)size) break;
        run |= 1u << l;
    }
    return run;
}

/* Returns whether four lanes or more follow each other in this way. */
static bool any_run(const uint64_t addr[SIM_WARP_LANES], uint32_t lanes, unsigned size) {
    bool found = false, pair = lanes != UINT32_MAX;
    uint64_t zero = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES - 1; l += 3) pair |= addr[l + 1] - addr[l] == size;
    if (!pair) return false; /* four lanes would have one of these pairs */
    for (uint32_t m = lanes, joined = 0; m && !found; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t mine = addr[l] - l * (uint64_t)size;
        joined = m != lanes && mine == zero ? joined + 1 : 0;
        found = joined == 3;
        zero = mine;
    }
    return found;
}

/* In the order of lanes, because the last of several at one word leaves its mark. */
static void by_runs(sim_access *a, const sim_site *s, const race_step *t, unsigned size,
                    const uint64_t addr[SIM_WARP_LANES], uint32_t mask, const void *const src[]) {
    race_global *g = a->launch->global_races;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t other = 0;
    uint32_t late = 0; /* to be checked word by word */
    /* the most frequent case: each lane is directly after the one before */
    if (mask == UINT32_MAX) {
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) other |= addr[l] - addr[0] - l * size;
        late = other      ? 0
               : size < 4 ? by_lines_narrow(g, t, size, addr, mask)
                          : by_lines(g, t, size, false, addr, mask);
        if (!other) {
            by_words(a, s, t, size, addr, late, src);
            return;
        }
    }
    other = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        other |= (addr[l] - addr[first]) & -(uint64_t)(mask >> l & 1);
    if (!other) late = size < 4 ? mask : by_lines(g, t, size, true, addr, mask);
    if (other && !any_run(addr, mask, size)) {
        if (!gathered(g, t, s, size, addr, mask)) by_words(a, s, t, size, addr, mask, src);
        return;
    }
    for (uint32_t lanes = other ? mask : 0; lanes;) {
        uint32_t run = run_of(addr, lanes, size);
        lanes &= ~run;
        uint32_t rest = run & (run - 1), more = rest & (rest - 1);
        if (!(more & (more - 1))) { /* fewer than four: a line would not keep many of these */
            late |= run;
            continue;
        }
        by_words(a, s, t, size, addr, late, src);
        late = size < 4 ? by_lines_narrow(g, t, size, addr, run)
                        : by_lines(g, t, size, false, addr, run);
    }
    by_words(a, s, t, size, addr, late, src);
}

/* Reports lanes of one store that write different values to the same place. */
static void stores_differ(sim_access *a, const sim_site *s, const race_step *t,
                          const uint64_t addr[SIM_WARP_LANES], uint32_t mask,
                          const void *const src[]) {
    enum { SLOTS = 64 };
    uint8_t slot[SLOTS] = {0}, mine[64], theirs[64];
    unsigned size = s->elem * s->vec;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), h = (unsigned)(addr[l] / size) % SLOTS;
        while (slot[h] && addr[slot[h] - 1] != addr[l]) h = (h + 1) % SLOTS;
        unsigned first = slot[h];
        slot[h] = (uint8_t)(l + 1);
        if (!first || !sim_site_stored(s, src, l, mine) ||
            !sim_site_stored(s, src, first - 1, theirs) || !memcmp(mine, theirs, size))
            continue;
        race_global_report(a, s, l, addr[l], RACE_WRITE,
                           t->first + ((uint64_t)(first - 1) << TID_AT), true, false, NULL);
    }
}

static race_step step_of(const sim_access *a, const sim_site *s, unsigned how, bool strong) {
    race_global *g = a->launch->global_races;
    uint32_t site = s->id & ((1 << SITE_BITS) - 1);
    __atomic_store_n(&g->site[site], s, __ATOMIC_RELAXED);
    uint64_t epoch = a->block->barriers & ((1 << EPOCH_BITS) - 1);
    bool flies = (s->flags & (SIM_SITE_BULK | SIM_SITE_AT_ONCE)) == SIM_SITE_BULK &&
                 how & RACE_WRITE && a->race && a->race->sends;
    return (race_step){.how = how,
                       .strong = strong,
                       .leaves = strong && how & RACE_WRITE ? ATOMIC
                                 : strong                   ? POLLER
                                 : how & RACE_WRITE         ? WRITER
                                                            : READER,
                       .first = (a->block->linear + 1) << 36 |
                                (uint64_t)(a->warp * SIM_WARP_LANES) << TID_AT |
                                epoch << SITE_BITS | site,
                       .when = flies ? FLYING : __atomic_load_n(&g->clock, __ATOMIC_ACQUIRE),
                       .sync = a->block->warp_syncs[a->warp] & SYNC_MASK,
                       .bulk = s->flags & SIM_SITE_BULK,
                       .cta = s->flags & SIM_SITE_CTA,
                       .constant = s->flags & SIM_SITE_CONSTANT || s->kind == SIM_ACCESS_TEX};
}

/* The access, of a copy in flight, is the warp's, which has waited for it now. */
static void access_lands(const race_step *now, race_who *id, uint32_t *when) {
    const race_who mask = ((race_who)1 << TID_AT) - (1 << SITE_BITS);
    if (*when != FLYING || !one_warp(*id, now->first)) return;
    *id = (*id & ~mask) | (now->first & mask);
    *when = now->when;
}

static bool part_flies(const race_part *p, const race_step *now) {
    return p->words && p->when == FLYING && one_warp(p->id, now->first);
}

/* The copy's words of the line have been written; the line's lock is held. */
static void line_lands(race_global *g, uint64_t at, uint32_t words, const race_step *now) {
    line *x = &g->lines[at];
    for (unsigned k = 0; !x->split && k < PARTS; k++)
        if (part_flies(&x->part[k], now) && x->part[k].words & words && x->part[k].words & ~words)
            cell_of(g, at * WORDS);
    for (unsigned k = 0; !x->split && k < PARTS; k++)
        if (part_flies(&x->part[k], now) && x->part[k].words & words)
            access_lands(now, &x->part[k].id, &x->part[k].when);
    for (uint32_t m = x->split ? words : 0; m; m &= m - 1) {
        unsigned w = (unsigned)__builtin_ctz(m), bytes = x->narrow >> w & 1 ? 4 : 1;
        race_cell *c = bytes > 1 ? &g->bytes[(at * WORDS + w) * 4] : cell_at(g, at * WORDS + w);
        for (unsigned b = 0; b < bytes; b++) {
            access_lands(now, &c[b].writer.id, &c[b].writer.when);
            access_lands(now, &c[b].atomic.id, &c[b].atomic.when);
        }
    }
}

void sim_race_global_lands(sim_access *a, uint64_t at, uint64_t n) {
    race_global *g = a->launch->global_races;
    if (!g || a->block->linear >= g->blocks || sim_race_global_full(g)) return;
    const race_step now = {.first = (a->block->linear + 1) << 36 |
                                    (uint64_t)(a->warp * SIM_WARP_LANES) << TID_AT |
                                    (a->block->barriers & ((1 << EPOCH_BITS) - 1)) << SITE_BITS,
                           .when = __atomic_load_n(&g->clock, __ATOMIC_ACQUIRE)};
    for (uint64_t x = at & ~(uint64_t)3, next; x < at + n; x = next) {
        uint64_t word = race_word(g, x);
        next = x + SIM_LINE_BYTES - (word == UINT64_MAX ? 0 : word % WORDS * 4);
        if (word == UINT64_MAX) continue;
        uint64_t end = next < at + n ? next : at + n, first = word % WORDS;
        uint32_t words = (uint32_t)(((UINT64_C(1) << (end - x + 3) / 4) - 1) << first);
        line_mutex *lock = lock_of(g, word);
        line_mutex_lock(lock);
        line_lands(g, word / WORDS, words, &now);
        line_mutex_unlock(lock);
    }
}

void sim_race_global_texels(sim_access *a, const sim_site *s, const uint64_t addr[SIM_WARP_LANES],
                            uint32_t lanes, unsigned bytes) {
    if (a->launch->early) sim_race_early(a, s, SIM_WORD_READ, addr, lanes, bytes);
    if (sim_race_global_full(a->launch->global_races)) return;
    const race_step t = step_of(a, s, RACE_READ, false);
    uint64_t odd = bytes;
    for (uint32_t m = lanes; m; m &= m - 1) odd |= addr[__builtin_ctz(m)];
    bool runs = odd % 4 == 0 && lanes & (lanes - 1) && !a->launch->global_races->by_word;
    (runs ? by_runs : by_words)(a, s, &t, bytes, addr, lanes, NULL);
}

void sim_race_global(sim_access *a, const sim_site *s, unsigned kind,
                     const uint64_t addr[SIM_WARP_LANES], uint32_t mask, const void *const src[]) {
    race_global *g = a->launch->global_races;
    bool strong = s->flags & (SIM_SITE_STRONG | SIM_SITE_VOLATILE) || kind == SIM_ACCESS_ATOM;
    unsigned how = (kind != SIM_ACCESS_STORE ? RACE_READ : 0) |
                   (kind == SIM_ACCESS_STORE || kind == SIM_ACCESS_ATOM ? RACE_WRITE : 0);
    if (s->flags & (SIM_SITE_ACQUIRE | SIM_SITE_RELEASE))
        sim_race_global_order(a, s->flags & SIM_SITE_ACQUIRE, s->flags & SIM_SITE_RELEASE,
                              s->flags & SIM_SITE_CTA);
    if (strong && how & RACE_WRITE && mask && !(s->flags & SIM_SITE_CTA))
        sim_race_global_publish(a);
    if (!mask) return;
    bool seen = strong && !(s->flags & SIM_SITE_CTA);
    order_looks(a, seen && how & RACE_READ, seen && kind == SIM_ACCESS_ATOM);
    unsigned kinds = strong && how != RACE_READ ? kinds_of(s) : 0;
    if (a->launch->early)
        sim_race_early(a, s,
                       how == RACE_READ ? (strong ? SIM_WORD_POLLED : SIM_WORD_READ)
                       : strong         ? SIM_WORD_ATOMIC | kinds << SIM_WORD_KIND
                                        : SIM_WORD_WRITTEN,
                       addr, mask, s->elem * s->vec);
    if (kind == SIM_ACCESS_ATOM && a->block->linear < g->blocks)
        __atomic_store_n(&g->block[a->block->linear].met, addr[__builtin_ctz(mask)],
                         __ATOMIC_RELAXED);
    if (sim_race_global_full(g)) return;
    race_step t = step_of(a, s, how, strong);
    t.kinds = (uint16_t)kinds;
    if (t.leaves == WRITER && src && run_of(addr, mask, s->elem * s->vec) != mask)
        stores_differ(a, s, &t, addr, mask, src);
    (g->by_word ? by_words : by_runs)(a, s, &t, s->elem * s->vec, addr, mask, src);
}

/* ---- after the launch ---- */

static unsigned how_of(const race_cell *c) {
    if (c->writer.id) return SIM_WORD_WRITTEN;
    return (c->atomic.id ? SIM_WORD_ATOMIC | (unsigned)c->atomic.note << SIM_WORD_KIND : 0) |
           (c->reader.id || c->reader.noted ? SIM_WORD_READ : 0) |
           (c->other.noted ? SIM_WORD_POLLED : 0);
}

/* Returns the source position of the access to the cell in this way. */
static uint32_t loc_of(const race_global *g, const race_cell *c, unsigned how) {
    const access *x = how & SIM_WORD_WRITTEN  ? &c->writer
                      : how & SIM_WORD_ATOMIC ? &c->atomic
                      : how & SIM_WORD_READ   ? &c->reader
                                              : &c->other;
    bool noted = x == &c->other || !x->id;
    const sim_site *s = race_site(g, noted ? x->note : x->id);
    return how && s ? s->loc : 0;
}

typedef struct {
    sim_access_run *fn;
    void *user;
    uint64_t from, to;
    unsigned how;
    uint32_t loc;
} run_told;

static void run_extend(run_told *t, uint64_t at, uint64_t n, unsigned how, uint32_t loc) {
    if (at == t->to && how == t->how && loc == t->loc) {
        t->to += n;
        return;
    }
    if (t->how) t->fn(t->user, t->from, t->to - t->from, t->how, t->loc);
    t->from = at, t->to = at + n, t->how = how, t->loc = loc;
}

static void tell_cell(run_told *t, const race_global *g, uint64_t from, unsigned n,
                      const race_cell *c) {
    unsigned how = how_of(c);
    if (how || t->how) run_extend(t, from, n, how, loc_of(g, c, how));
}

/* Returns the next line of the stretch, from *k on, that a thread was near; false: none. */
static bool next_seen(const race_global *g, const stretch *s, uint64_t *k) {
    for (uint64_t n = lines_of(s->bytes); *k < n;) {
        uint64_t at = s->first / WORDS + *k;
        if (g->seen[at / SEEN]) return true;
        *k += SEEN - at % SEEN;
    }
    return false;
}

static void words_of(const race_global *g, const stretch *s, sim_access_run *fn, void *user) {
    run_told t = {.fn = fn, .user = user};
    for (uint64_t k = 0; next_seen(g, s, &k); k++) {
        uint64_t at = s->first / WORDS + k, from = s->base + k * SIM_LINE_BYTES;
        const line *x = &g->lines[at];
        race_cell own[WORDS];
        const race_cell *c = own;
        bool whole = !x->split;
        uint32_t any = 0;
        for (unsigned p = 0; whole && p < PARTS; p++) {
            any |= x->part[p].words;
            whole = x->part[p].words + 1 <= 1; /* none or all of them */
        }
        if (x->split) c = cell_at(g, at * WORDS);
        else if (!any) continue;
        else cells_from(g, x, whole ? 1 : UINT32_MAX, own);
        if (whole) tell_cell(&t, g, from, SIM_LINE_BYTES, c);
        for (unsigned b = 0, n; b < SIM_LINE_BYTES && !whole; b += n) {
            bool narrow = x->split && x->narrow >> b / 4 & 1;
            n = narrow ? 1 : 4;
            tell_cell(&t, g, from + b, n, narrow ? &g->bytes[at * SIM_LINE_BYTES + b] : &c[b / 4]);
        }
    }
    run_extend(&t, 0, 0, 0, 0);
}

/* ---- the last instruction that stored there */

typedef struct {
    sim_access_stored *fn;
    void *user;
    uint64_t from, to;
    const sim_site *by;
} stored_told;

static void stored_extend(stored_told *t, uint64_t at, uint64_t n, const sim_site *by) {
    if (at == t->to && by == t->by) {
        t->to += n;
        return;
    }
    if (t->by) t->fn(t->user, t->from, t->to - t->from, t->by);
    t->from = at, t->to = at + n, t->by = by;
}

static void stored_of(const race_global *g, const stretch *s, role r, sim_access_stored *fn,
                      void *user) {
    stored_told t = {.fn = fn, .user = user};
    for (uint64_t k = 0; next_seen(g, s, &k); k++) {
        uint64_t at = s->first / WORDS + k, from = s->base + k * SIM_LINE_BYTES;
        const line *x = &g->lines[at];
        race_cell own[WORDS], *c = cell_at(g, at * WORDS);
        const race_part *all = NULL;
        bool whole = !x->split;
        for (unsigned p = 0; whole && p < PARTS; p++) {
            whole = x->part[p].words + 1 <= 1 || x->part[p].role != r; /* none or all of them */
            if (x->part[p].words && x->part[p].role == r) all = &x->part[p];
        }
        if (whole && all) stored_extend(&t, from, SIM_LINE_BYTES, race_site(g, part_who(all, 0)));
        if (whole) continue;
        if (!x->split) cells_from(g, x, UINT32_MAX, c = own);
        for (unsigned b = 0, n; b < SIM_LINE_BYTES; b += n) {
            bool narrow = x->split && x->narrow >> b / 4 & 1;
            n = narrow ? 1 : 4;
            const access *by =
                access_of(narrow ? &g->bytes[at * SIM_LINE_BYTES + b] : &c[b / 4], r);
            if (by->id) stored_extend(&t, from + b, n, race_site(g, by->id));
        }
    }
    stored_extend(&t, 0, 0, NULL);
}

void sim_race_global_stored(const race_global *g, sim_access_stored *fn, void *user) {
    stored_of(g, &g->device, WRITER, fn, user);
    stored_of(g, &g->device, ATOMIC, fn, user);
    for (size_t i = 0; i < g->other_count; i++) {
        stored_of(g, &g->other[i], WRITER, fn, user);
        stored_of(g, &g->other[i], ATOMIC, fn, user);
    }
}

void sim_race_global_words(race_global *g, sim_access_run *fn, void *user) {
    gathers_end(g);
    words_of(g, &g->device, fn, user);
    for (size_t i = 0; i < g->other_count; i++) words_of(g, &g->other[i], fn, user);
}

/* ---- accesses of a launch before it waited for the grids before it (griddepcontrol.wait,
 * sim_launch.early): with those it races; its other accesses come after them. A warp also counts as
 * having waited if it has met others at a barrier, or acquired anything, since another warp of its
 * block waited. Kernels wait early or never, so the accesses before the wait are kept as a list. If
 * no block waited, all accesses are told instead. */

enum { EARLY_MOST = 1 << 16 };

typedef struct {
    uint64_t from, to;
    unsigned how;
    uint32_t loc;
} early_run;

/* Of a block. Only one worker at a time runs a block. */
typedef struct {
    uint32_t warps;          /* warps that have waited, one bit each */
    bool lets;               /* one has let the next grid begin */
    uint32_t barriers, when; /* at the first wait: the block's barriers so far; the clock */
} early_wait;
struct race_early {
    uint64_t blocks;
    early_wait *waited;
    _Atomic bool any;  /* of the warps has waited */
    _Atomic bool held; /* of the blocks has waited before it let the next grid begin */
    pthread_mutex_t lock;
    early_run *at;
    size_t count, room;
    bool lost; /* there were too many: nothing is told of them */
};

race_early *sim_race_early_new(uint64_t blocks) {
    race_early *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->blocks = blocks;
    e->waited = calloc(blocks + 1, sizeof *e->waited);
    pthread_mutex_init(&e->lock, NULL);
    if (e->waited) return e;
    sim_race_early_free(e);
    return NULL;
}

void sim_race_early_free(race_early *e) {
    if (!e) return;
    pthread_mutex_destroy(&e->lock);
    free(e->waited);
    free(e->at);
    free(e);
}

void sim_grid_wait(sim_access *a) {
    race_early *e = a->launch->early;
    race_global *g = a->launch->global_races;
    if (!e || a->block->linear >= e->blocks) return;
    early_wait *w = &e->waited[a->block->linear];
    if (!w->lets) atomic_store_explicit(&e->held, true, memory_order_relaxed);
    if (!w->warps) {
        w->barriers = a->block->barriers;
        pthread_mutex_lock(&g->time);
        w->when = tick(g);
        pthread_mutex_unlock(&g->time);
    }
    w->warps |= 1u << a->warp;
    atomic_store_explicit(&e->any, true, memory_order_relaxed);
}

void sim_grid_lets(sim_access *a) {
    race_early *e = a->launch->early;
    if (e && a->block->linear < e->blocks) e->waited[a->block->linear].lets = true;
}

void sim_race_early_waited(const race_early *e, bool *waited, bool *held) {
    *waited = atomic_load(&e->any), *held = atomic_load(&e->held);
}

static bool early_over(const sim_access *a, const race_early *e) {
    const race_global *g = a->launch->global_races;
    uint64_t b = a->block->linear;
    if (b >= e->blocks) return true;
    const early_wait *w = &e->waited[b];
    return w->warps && (w->warps >> a->warp & 1 || a->block->barriers != w->barriers ||
                        g->warp[b * g->warps + a->warp].acquired > w->when);
}

static void early_add(race_early *e, const early_run *run) {
    early_run *last = e->count ? &e->at[e->count - 1] : NULL;
    bool alike = last && last->how == run->how && last->loc == run->loc;
    if (alike && last->to == run->from) last->to = run->to;
    /* a loop that polls */
    if (alike && last->from <= run->from && last->to >= run->to) return;
    if (e->lost || e->count >= EARLY_MOST ||
        !lib_grow(&e->at, &e->room, e->count, sizeof *e->at, 64) || !e->at) {
        e->lost = true;
        return;
    }
    e->at[e->count++] = *run;
}

void sim_race_early(sim_access *a, const sim_site *s, unsigned how, const uint64_t *addr,
                    uint32_t mask, unsigned size) {
    race_early *e = a->launch->early;
    if (early_over(a, e)) return;
    pthread_mutex_lock(&e->lock);
    for (uint32_t m = mask; m && !e->lost; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        early_add(e, &(early_run){at, at + size, how, s->loc});
    }
    pthread_mutex_unlock(&e->lock);
}

bool sim_race_early_tell(const race_early *e, sim_access_run *fn, void *user) {
    if (!atomic_load(&e->any)) return false;
    for (size_t i = 0; i < e->count && !e->lost; i++)
        fn(user, e->at[i].from, e->at[i].to - e->at[i].from, e->at[i].how | SIM_WORD_EARLY,
           e->at[i].loc);
    return true;
}
