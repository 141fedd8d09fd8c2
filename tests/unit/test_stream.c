/* What each access of global memory sends to L2 and what it is said to cost, entry by entry and
 * field by field, against slow definitions over the lanes' bytes: lines and sectors as sets, L1 as
 * the set of what was loaded since the launch began (fewer lines than it holds), stores of parts of
 * sectors merged by the rule above push_part() (access_global.inc). Then an L1 that is full,
 * constant memory, and a stream's way through L2. */
#include "check.h"
#include "access_fixture.h"

enum { BYTES = 64 * 1024, LINES = BYTES / 128, ENTRIES = 8192 };

/* ---- the definitions ---- */

typedef struct {
    uint64_t line;
    uint32_t words;
    unsigned sectors;
} touched;

/* The lines that the lanes' bytes lie in. Their order is that of addresses where all lie in 16
 * lines that follow each other, else that of the lanes that come there first. */
static unsigned lines_of(const uint64_t addr[32], uint32_t mask, unsigned size, touched to[64]) {
    unsigned n = 0;
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned l = 0; l < 32; l++)
        for (uint64_t x = addr[l]; mask >> l & 1 && x < addr[l] + size; x++) {
            unsigned i = 0;
            while (i < n && to[i].line != x / 128) i++;
            if (i == n) to[n++] = (touched){.line = x / 128};
            to[i].words |= 1u << x % 128 / 4;
            to[i].sectors |= 1u << x % 128 / 32;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    if (high / 128 - low / 128 >= 16) return n;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k < n; k++)
            if (to[k].line < to[i].line) {
                touched t = to[i];
                to[i] = to[k];
                to[k] = t;
            }
    return n;
}

/* All of a sector's eight words, of each of the sectors. */
static bool whole(const touched *t) {
    for (unsigned s = 0; s < 4; s++)
        if (t->sectors >> s & 1 && (t->words >> 8 * s & 0xff) != 0xff) return false;
    return true;
}

typedef struct {
    sim_stream_entry entry[ENTRIES];
    uint32_t n, stores;
    struct {
        uint64_t line;
        uint32_t warp, store, at;
        bool used;
    } open[16]; /* the last store of a part, by line */
    uint8_t l1[LINES + 1];
    uint64_t first; /* line of the memory */
} model;

static void model_store(model *m, uint32_t warp, const touched *t, unsigned window) {
    unsigned i = t->line % 16;
    bool parts = !whole(t);
    if (parts && m->open[i].used && m->open[i].line == t->line && m->open[i].warp == warp &&
        m->stores - m->open[i].store < window) {
        sim_stream_entry *e = &m->entry[m->open[i].at];
        if (!(e->words & t->words)) { /* of the same struct; else written again */
            e->words |= t->words;
            e->sectors |= (uint8_t)t->sectors;
            return;
        }
    }
    if (parts) {
        m->open[i].line = t->line, m->open[i].warp = warp, m->open[i].store = m->stores;
        m->open[i].at = m->n, m->open[i].used = true;
    }
    m->entry[m->n++] = (sim_stream_entry){
        .line = t->line, .words = t->words, .sectors = (uint8_t)t->sectors, .op = SIM_STREAM_STORE};
}

static sim_access_cost model_access(model *m, const sim_site *s, uint32_t warp,
                                    const uint64_t addr[32], uint32_t mask) {
    touched t[64];
    unsigned n = lines_of(addr, mask, s->elem * s->vec, t);
    sim_access_cost c = {.space = SIM_SPACE_GLOBAL,
                         .lanes = (uint8_t)__builtin_popcount(mask),
                         .passes = 1,
                         .lines = (uint16_t)n,
                         .stream_at = m->n};
    /* a store's lines tell with how many stores it may merge: 3 of a struct of three words, one in
     * larger ones */
    unsigned window = n <= 3 ? 4 : n <= 12 ? 2 : 0;
    m->stores += s->kind == SIM_ACCESS_STORE;
    for (unsigned i = 0; i < n; i++) {
        c.sectors += (uint16_t)__builtin_popcount(t[i].sectors);
        uint8_t *had = &m->l1[t[i].line - m->first];
        unsigned hit = s->flags & SIM_SITE_BYPASS_L1 ? 0 : *had & t[i].sectors;
        sim_stream_entry e = {.line = t[i].line, .sectors = (uint8_t)t[i].sectors};
        switch (s->kind) {
        case SIM_ACCESS_STORE: model_store(m, warp, &t[i], window); break;
        case SIM_ACCESS_ATOM:
            e.op = SIM_STREAM_ATOM;
            m->entry[m->n++] = e;
            break;
        default:
            e.op = SIM_STREAM_LOAD;
            e.sectors &= (uint8_t)~hit;
            if (e.sectors) m->entry[m->n++] = e;
            c.l1_hits += (uint16_t)__builtin_popcount(hit);
            if (!(s->flags & SIM_SITE_BYPASS_L1)) *had |= (uint8_t)t[i].sectors;
        }
    }
    for (unsigned i = 0; s->kind == SIM_ACCESS_STORE && !window && i < 16; i++)
        m->open[i].used = false;
    for (unsigned l = 0; s->kind == SIM_ACCESS_ATOM && l < 32; l++) {
        unsigned same = 0, before = 0;
        for (unsigned k = 0; k < 32; k++)
            if (mask >> l & mask >> k & 1 && addr[k] == addr[l]) same++, before += k < l;
        c.passes = same > c.passes ? (uint16_t)same : c.passes;
        if (same && !before) c.distinct++;
    }
    c.stream_n = m->n - c.stream_at;
    return c;
}

/* ---- addresses ---- */

/* Four accesses in a row are a group: the same lanes, a member of a struct further each time, or
 * the same. */
typedef struct {
    unsigned kind, stride, base, second;
    uint32_t mask;
    uint8_t order[32];
} group;

static group group_new(uint64_t *rnd, unsigned size) {
    static const uint16_t strides[] = {1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 33, 48, 64, 100};
    group g = {.kind = fixture_random(rnd) % 10,
               .stride =
                   strides[fixture_random(rnd) % 14] * (size > 16 ? 1 : 16 / size) * size / 4};
    g.stride = (g.stride + size - 1) / size * size;
    g.base = fixture_random(rnd) % (BYTES / 4 / size) * size;
    g.second = fixture_random(rnd) % (BYTES / 2 / size) * size;
    static const uint32_t masks[] = {~0u,        ~0u,        ~0u,      0xffff,
                                     0xfffffffe, 0x7fffffff, 0xff00ff, 1u << 31};
    unsigned m = fixture_random(rnd) % 10;
    g.mask = m < 8 ? masks[m] : fixture_random(rnd) | 1u << fixture_random(rnd) % 32;
    for (unsigned l = 0; l < 32; l++) g.order[l] = (uint8_t)l;
    for (unsigned l = 31; l; l--) {
        unsigned k = fixture_random(rnd) % (l + 1);
        uint8_t t = g.order[l];
        g.order[l] = g.order[k], g.order[k] = t;
    }
    return g;
}

static unsigned place_of(const group *g, unsigned l, unsigned size, uint64_t *rnd) {
    switch (g->kind) {
    case 0: return g->base + l * size; /* side by side */
    case 1:
    case 2: return g->base + l * g->stride;                          /* a column, structs */
    case 3: return g->base;                                          /* one place */
    case 4: return (l < 16 ? g->base : g->second) + l % 16 * size;   /* two rows */
    case 5: return l < 16 ? g->base : g->second + l % 16 * size;     /* one place, a row */
    case 6: return g->base + (31 - l) * g->stride;                   /* falling */
    case 7: return g->base + g->order[l] * g->stride;                /* mixed */
    case 8: return g->base + l / 2 * 4 * g->stride + l % 2 * size;   /* pairs */
    default: return fixture_random(rnd) % (BYTES / 2 / size) * size; /* anywhere */
    }
}

static int by_line(const void *a, const void *b) {
    const sim_stream_entry *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->sectors - y->sectors;
}

static bool same_cost(const sim_access_cost *a, const sim_access_cost *b) {
    return a->space == b->space && a->lanes == b->lanes && a->passes == b->passes &&
           a->lines == b->lines && a->sectors == b->sectors && a->l1_hits == b->l1_hits &&
           a->distinct == b->distinct && a->stream_at == b->stream_at && a->stream_n == b->stream_n;
}
static bool same_entry(const sim_stream_entry *a, const sim_stream_entry *b) {
    return a->line == b->line && a->words == b->words && a->sectors == b->sectors && a->op == b->op;
}
static void say(const char *what, const sim_access_cost *c) {
    printf("# %s: %u lanes, %u passes, %u lines, %u sectors, %u of L1, %u distinct, %u+%u\n", what,
           c->lanes, c->passes, c->lines, c->sectors, c->l1_hits, c->distinct, c->stream_at,
           c->stream_n);
}

static void each_access(const sim_access_isa *isa) {
    enum { LAUNCHES = 40, GROUPS = 16 };
    static const struct {
        sim_access_kind kind;
        uint8_t elem, vec, flags;
    } shapes[] = {{SIM_ACCESS_LOAD, 4, 1, 0},  {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_BYPASS_L1},
                  {SIM_ACCESS_LOAD, 1, 1, 0},  {SIM_ACCESS_LOAD, 8, 2, 0},
                  {SIM_ACCESS_LOAD, 4, 8, 0},  {SIM_ACCESS_LOAD, 8, 1, 0},
                  {SIM_ACCESS_TEX, 4, 1, 0},   {SIM_ACCESS_ATOM, 4, 1, 0},
                  {SIM_ACCESS_ATOM, 8, 1, 0},  {SIM_ACCESS_ATOM, 2, 1, 0},
                  {SIM_ACCESS_STORE, 4, 1, 0}, {SIM_ACCESS_STORE, 4, 1, 0},
                  {SIM_ACCESS_STORE, 1, 1, 0}, {SIM_ACCESS_STORE, 2, 1, 0},
                  {SIM_ACCESS_STORE, 8, 1, 0}, {SIM_ACCESS_STORE, 4, 4, 0},
                  {SIM_ACCESS_STORE, 4, 8, 0}};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    static model m;
    fixture *f = fixture_new("h200");
    sim_addr base;
    uint64_t rnd = 21;
    unsigned bad_cost = 0, bad_entries = 0, merged = 0, hits = 0;
    sim_memory_alloc(f->memory, BYTES, SIM_ALLOC_USER, "x", &base);
    sim_memory_fill(f->memory, base, 0, 4, BYTES / 4);
    sim_site *site[SHAPES];
    for (unsigned i = 0; i < SHAPES; i++) {
        site[i] =
            fixture_site(f, SIM_SPACE_GLOBAL, shapes[i].kind, shapes[i].elem, shapes[i].vec, i);
        site[i]->flags = shapes[i].flags;
        isa->bind(site[i]);
    }
    for (unsigned launch = 0; launch < LAUNCHES; launch++) {
        fixture_start(f);
        memset(&m, 0, sizeof m);
        m.first = base / 128;
        for (unsigned k = 0; k < GROUPS; k++) {
            const sim_site *s = site[fixture_random(&rnd) % SHAPES];
            unsigned size = s->elem * s->vec, how = fixture_random(&rnd) % 4,
                     warp = fixture_random(&rnd) % 3;
            group g = group_new(&rnd, size);
            for (unsigned member = 0; member < 4; member++) {
                uint64_t addr[32], regs[8][32] = {{0}};
                void *dst[8], *ptr[32];
                unsigned plus = how == 0 ? 0 : member * size;
                if (how == 1 && member == 2) /* another warp comes in between */
                    warp ^= 1;
                for (unsigned l = 0; l < 32; l++)
                    addr[l] = base + (place_of(&g, l, size, &rnd) + plus) % BYTES;
                for (unsigned e = 0; e < 8; e++) dst[e] = regs[e];
                sim_access_cost want = model_access(&m, s, warp, addr, g.mask);
                sim_access_enter(f->access, f->block, warp);
                if (s->kind == SIM_ACCESS_LOAD) s->load(f->access, s, addr, g.mask, dst);
                else if (s->kind == SIM_ACCESS_STORE)
                    s->store(f->access, s, addr, g.mask, (const void *const *)dst);
                else s->ptr(f->access, s, addr, g.mask, ptr);
                const sim_access_cost *got = sim_access_last(f->access);
                bool right = same_cost(got, &want);
                if (!right && !bad_cost++) {
                    printf("# %s, kind %u of %u bytes, way %u, stride %u\n", isa->name, s->kind,
                           size, g.kind, g.stride);
                    say("got ", got);
                    say("want", &want);
                }
                merged += s->kind == SIM_ACCESS_STORE && want.stream_n < want.lines;
                hits += want.l1_hits;
            }
        }
        size_t n;
        const sim_stream_entry *e = sim_block_stream(f->block, &n);
        bad_entries += n != m.n;
        for (uint32_t i = 0; i < n && i < m.n;) { /* a load's lines come in any order */
            uint32_t to = i + 1;
            if (m.entry[i].op == SIM_STREAM_LOAD)
                while (to < n && to < m.n && m.entry[to].op == SIM_STREAM_LOAD) to++;
            sim_stream_entry sorted[ENTRIES];
            memcpy(sorted, e + i, (to - i) * sizeof *sorted);
            if (to - i > 1) {
                qsort(sorted, to - i, sizeof *sorted, by_line);
                qsort(m.entry + i, to - i, sizeof *sorted, by_line);
            }
            for (uint32_t k = i; k < to; k++)
                if (!same_entry(&sorted[k - i], &m.entry[k]) && !bad_entries++)
                    printf("# entry %u: line %+lld, words %x, sectors %x, not %+lld, %x, %x\n", k,
                           (long long)(sorted[k - i].line - m.first), sorted[k - i].words,
                           sorted[k - i].sectors, (long long)(m.entry[k].line - m.first),
                           m.entry[k].words, m.entry[k].sectors);
            i = to;
        }
        fixture_end(f);
        CHECK_INT(f->found_count, 0);
    }
    printf("# %s\n", isa->name);
    CHECK_INT(bad_cost, 0);
    CHECK_INT(bad_entries, 0);
    CHECK(merged > 50 && hits > 1000); /* else this says little */
    fixture_free(f);
}

/* ---- a full L1 ---- */

typedef struct {
    uint64_t line;
    unsigned sectors;
} held;

/* Looks a sector up in a set that lies in the order of use, and puts its line first. */
static bool plain_look_up(held set[SIM_L1_WAYS], uint64_t line, unsigned sector) {
    unsigned w = 0;
    while (w < SIM_L1_WAYS - 1 && set[w].line != line) w++;
    held h = set[w].line == line ? set[w] : (held){line, 0};
    memmove(set + 1, set, w * sizeof *set);
    set[0] = (held){line, h.sectors | sector};
    return h.sectors & sector;
}

/* Twice as many lines as L1 holds, least recently used of its ways: loads of 32 lines each, some of
 * one. Only which set a line is in is taken from there. */
static void full_l1(const sim_access_isa *isa) {
    enum { ACCESSES = 4000, MOST = 4096 };
    fixture *f = fixture_new("h200");
    sim_addr base;
    uint64_t rnd = 77;
    unsigned wrong = 0, hits = 0, lost = 0;
    sim_memory_alloc(f->memory, MOST * 128, SIM_ALLOC_USER, "x", &base);
    sim_memory_fill(f->memory, base, 0, 4, MOST * 32);
    sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1);
    isa->bind(s);
    fixture_start(f);
    sim_access_enter(f->access, f->block, 0);
    const sim_l1 *l1 = f->access->l1;
    held(*set)[SIM_L1_WAYS] = calloc(l1->sets, sizeof *set);
    CHECK(l1->sets * SIM_L1_WAYS < MOST);
    for (unsigned i = 0; i < ACCESSES; i++) {
        uint64_t addr[32], at = fixture_random(&rnd) % (MOST - 32 * 3);
        uint32_t reg[32];
        void *dst[1] = {reg};
        unsigned want = 0, step = fixture_random(&rnd) % 4, lanes = step ? 32 : 1;
        for (unsigned l = 0; l < 32; l++) {
            unsigned word = step ? fixture_random(&rnd) % 32 : 0;
            addr[l] = base + at * 128 + word * 4;
            at += step ? 1 + fixture_random(&rnd) % step : 0;
        }
        for (unsigned l = 0; l < lanes; l++) {
            uint64_t line = addr[l] / 128;
            size_t n = (size_t)(sim_l1_find(l1, line).set - l1->way) / SIM_L1_WAYS;
            uint64_t oldest = set[n][SIM_L1_WAYS - 1].line;
            want += plain_look_up(set[n], line, 1u << (addr[l] / 32 % 4));
            lost += oldest && oldest != line && set[n][SIM_L1_WAYS - 1].line != oldest;
        }
        s->load(f->access, s, addr, ~0u, dst);
        wrong += sim_access_last(f->access)->l1_hits != want;
        hits += want;
    }
    printf("# %s: %u hits of %u loads\n", isa->name, hits, ACCESSES);
    CHECK_INT(wrong, 0);
    CHECK(hits > 10000 && lost > 10000);
    free(set);
    fixture_end(f);
    fixture_free(f);
}

/* ---- constant memory ---- */

/* Words, or what a lane takes if that is more, are read one after another (CUDA C++ Programming
 * Guide, "Constant Memory"); lines of 64 bytes are told only beyond 16 of them (access.h). */
static void constants(const sim_access_isa *isa) {
    static const struct {
        unsigned elem, vec, first, step;
        uint32_t mask;
        unsigned passes, lines;
    } rows[] = {
        {4, 1, 64, 0, ~0u, 1, 0},        {4, 1, 60, 4, 0xffff, 16, 0},
        {4, 1, 60, 4, 0x1ffff, 17, 2}, /* bytes 60 to 127 */
        {4, 1, 60, 4, 0x3ffff, 18, 3},   {4, 1, 64, 4, 0x1ffff, 17, 2},
        {4, 1, 64, 4, ~0u, 32, 2},       {1, 1, 64, 1, ~0u, 8, 0},
        {1, 1, 67, 1, 3, 2, 0}, /* two words */
        {1, 1, 66, 1, 3, 1, 0},          {2, 1, 64, 2, ~0u, 16, 0},
        {2, 1, 66, 2, ~0u, 17, 2},       {8, 1, 64, 8, ~0u, 32, 4},
        {8, 1, 64, 8, 0xf000000f, 8, 0}, {4, 4, 64, 16, ~0u, 32, 8},
        {4, 1, 64, 64, ~0u, 32, 32},     {4, 1, 64, 264, ~0u, 32, 32}, /* 31 * 66 = 2046 words on */
        {4, 1, 64, 268, ~0u, 32, 32},    {4, 1, 64, 8192, ~0u, 32, 32},
        {4, 1, 64, 8192, 5, 2, 0},       {4, 1, 8, 0, 1u << 31, 1, 0},
    };
    enum { SIZE = 300 * 1024 };
    unsigned wrong = 0;
    uint64_t requests = 0, serial = 0;
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, SIZE, SIM_ALLOC_CONST, "table", &base);
    sim_memory_fill(f->memory, base, 7, 4, SIZE / 4);
    CHECK_INT(base % 64, 0);
    fixture_site(f, SIM_SPACE_CONST, SIM_ACCESS_LOAD, 4, 1, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        isa->bind(fixture_site(f, SIM_SPACE_CONST, SIM_ACCESS_LOAD, rows[i].elem, rows[i].vec, i));
    fixture_start(f);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sim_site *s = &f->sites[1 + i];
        uint64_t addr[32], reg[4][32];
        void *dst[4] = {reg[0], reg[1], reg[2], reg[3]}, *ptr[32];
        for (unsigned l = 0; l < 32; l++)
            addr[l] = rows[i].mask >> l & 1 ? base + rows[i].first + l * rows[i].step : 3;
        for (unsigned how = 0; how < 2; how++) {
            uint32_t ok = how ? s->ptr(f->access, s, addr, rows[i].mask, ptr)
                              : s->load(f->access, s, addr, rows[i].mask, dst);
            const sim_access_cost *c = sim_access_last(f->access);
            uint64_t a0 = addr[__builtin_ctz(rows[i].mask)];
            bool right = ok == rows[i].mask && c->space == SIM_SPACE_CONST &&
                         c->lanes == __builtin_popcount(rows[i].mask) &&
                         c->passes == rows[i].passes && c->lines == rows[i].lines && !c->sectors &&
                         !c->l1_hits && !c->stream_n && c->stream_at == (uint32_t)(a0 / 64);
            for (unsigned l = 0; how && l < 32; l++)
                if (rows[i].mask >> l & 1)
                    right &= ptr[l] == sim_memory_host(f->memory, addr[l], 1);
            if (!right) printf("# row %u: %u passes, %u lines\n", i, c->passes, c->lines);
            wrong += !right;
            requests++;
            serial += rows[i].passes - 1;
        }
    }
    CHECK_INT(wrong, 0);
    sim_counters c = fixture_counters(f);
    CHECK_INT(c.const_requests, requests);
    CHECK_INT(c.const_serialised, serial);
    CHECK_INT(sim_access_fault(f->access), SIM_OK);
    /* Lanes 30 and 31 lie behind the table, in words of their own: 30 others go through. */
    uint64_t addr[32];
    uint32_t reg[32];
    void *dst[1] = {reg};
    for (unsigned l = 0; l < 32; l++) addr[l] = base + SIZE - 120 + l * 4;
    CHECK_INT(f->sites[1].load(f->access, &f->sites[1], addr, ~0u, dst), ~0u >> 2);
    CHECK_INT(sim_access_last(f->access)->passes, 30);
    CHECK_INT(sim_access_last(f->access)->lines, 2); /* 56 bytes and 64 */
    CHECK_INT(sim_access_fault(f->access), SIM_ILLEGAL_ADDRESS);
    fixture_end(f);
    fixture_free(f);
}

/* ---- to L2 ---- */

/* A stream at once is what its entries are one after another. */
static void at_once(const sim_access_isa *isa) {
    static const char *const profiles[] = {"t4", "h200"}; /* of one partition, of two */
    static const unsigned lengths[] = {0, 1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 96, 97, 300};
    for (unsigned p = 0; p < 2; p++) {
        sim_profile profile = *sim_profile_find(profiles[p]);
        profile.l2_bytes = 64 * 1024; /* lines leave it */
        sim_caches *all = sim_caches_make(&profile, isa->l2_feed),
                   *one = sim_caches_make(&profile, isa->l2_feed);
        sim_l2_count n = {0}, n1 = {0};
        uint64_t rnd = 5 + p;
        unsigned wrong = 0;
        for (unsigned round = 0; round < 60; round++)
            for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
                sim_stream_entry e[301];
                unsigned sm = fixture_random(&rnd) % 4;
                memset(e, 0xee, sizeof e);
                for (unsigned i = 0; i < lengths[k]; i++) {
                    uint32_t words = fixture_random(&rnd) & fixture_random(&rnd);
                    if (fixture_random(&rnd) % 2) words |= 0xffff00;
                    unsigned sectors = 0, op = fixture_random(&rnd) % 3;
                    for (unsigned s = 0; s < 4; s++)
                        sectors |= (words >> 8 * s & 0xff ? 1u : 0) << s;
                    if (!sectors) sectors = 1, words = 1;
                    e[i] = (sim_stream_entry){.line = 0x600000000 + fixture_random(&rnd) % 900,
                                              .words = op == SIM_STREAM_STORE ? words : 0,
                                              .sectors = (uint8_t)sectors,
                                              .op = (uint8_t)op};
                }
                sim_l2_feed(all, sm, lengths[k] ? e : NULL, lengths[k], 0, &n);
                for (unsigned i = 0; i < lengths[k]; i++)
                    wrong += sim_l2_access(one, sm, e[i].line, e[i].sectors, (sim_l2_op)e[i].op,
                                           e[i].words, &n1) != (e[i].sectors & ~e[i].missed);
                for (unsigned i = 0; i < lengths[k]; i++)
                    wrong += (e[i].missed & ~e[i].sectors) != 0;
                wrong += e[lengths[k]].missed != 0xee;
            }
        CHECK_INT(wrong, 0);
        CHECK(!memcmp(&n, &n1, sizeof n));
        CHECK(n.hits > 1000 && n.dram_write > 1000 && n.dram_read > 1000);
        sim_caches_free(all);
        sim_caches_free(one);
    }
}

/* One access: lane l at base + first + l * step. */
static void go(fixture *f, const sim_site *s, sim_addr first, unsigned step, uint32_t mask) {
    uint64_t addr[32];
    uint32_t reg[32] = {0};
    void *dst[1] = {reg}, *ptr[32];
    for (unsigned l = 0; l < 32; l++) addr[l] = first + l * step;
    if (s->kind == SIM_ACCESS_LOAD) s->load(f->access, s, addr, mask, dst);
    else if (s->kind == SIM_ACCESS_STORE)
        s->store(f->access, s, addr, mask, (const void *const *)dst);
    else s->ptr(f->access, s, addr, mask, ptr);
}

typedef struct {
    fixture *f;
    sim_addr x;
    sim_site *ld, *near, *st, *atom;
} scene;
static scene scene_new(void) {
    scene s = {.f = fixture_new("t4")}; /* one partition: a look-up an access */
    sim_memory_alloc(s.f->memory, BYTES, SIM_ALLOC_USER, "x", &s.x);
    sim_memory_fill(s.f->memory, s.x, 0, 4, BYTES / 4);
    s.ld = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1);
    s.ld->flags = SIM_SITE_BYPASS_L1;
    s.near = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 2);
    s.st = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 3);
    s.atom = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 4);
    fixture_start(s.f);
    return s;
}

/* What became of each access, once its block is committed. */
static void outcomes(void) {
    scene s = scene_new();
    const struct {
        const sim_site *site;
        unsigned first, step;
        uint32_t mask;
        unsigned entries, hits, dram, parts;
    } rows[] = {
        {s.ld, 0, 4, ~0u, 1, 0, 4, 0},         {s.ld, 0, 4, ~0u, 1, 4, 0, 0},
        {s.st, 1024, 4, 1, 1, 1, 0, 1},        {s.st, 2048, 4, ~0u, 1, 4, 0, 0},
        {s.st, 2048 + 132, 32, 7, 1, 3, 0, 3}, /* a word of each of three sectors */
        {s.atom, 64, 0, ~0u, 1, 1, 0, 0},      {s.ld, 8192, 128, 0xff, 8, 0, 8, 0},
        {s.ld, 8192 + 32, 128, 1, 1, 1, 0, 0}, /* came with the other half of its 64 bytes */
        {s.ld, 8192 + 64, 128, 1, 1, 0, 1, 0}, {s.atom, 16384, 4, 0xf, 1, 0, 1, 0},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    sim_access_cost cost[ROWS];
    sim_stream_cost sum = {0};
    unsigned entries = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        go(s.f, rows[i].site, s.x + rows[i].first, rows[i].step, rows[i].mask);
        cost[i] = *sim_access_last(s.f->access);
        CHECK_INT(cost[i].stream_at, entries);
        CHECK_INT(cost[i].stream_n, rows[i].entries);
        entries += rows[i].entries;
    }
    sim_block_end(s.f->block);
    sim_block_commit(s.f->block);
    for (unsigned i = 0; i < ROWS; i++) {
        sim_stream_cost c = sim_block_stream_cost(s.f->block, cost[i].stream_at, cost[i].stream_n);
        CHECK_INT(c.l2_hits, rows[i].hits);
        CHECK_INT(c.dram, rows[i].dram);
        CHECK_INT(c.parts, rows[i].parts);
        sum.l2_hits += rows[i].hits, sum.dram += rows[i].dram, sum.parts += rows[i].parts;
    }
    sim_stream_cost c = sim_block_stream_cost(s.f->block, 0, entries);
    CHECK(!memcmp(&c, &sum, sizeof c));
    c = sim_block_stream_cost(s.f->block, entries, 5); /* beyond its end */
    CHECK_INT(c.l2_hits + c.dram + c.parts, 0);
    sim_counters n = {0};
    sim_access_launch_count(s.f->launch, &n);
    CHECK_INT(n.l2_sectors, 4 + 4 + 1 + 4 + 3 + 1 + 8 + 1 + 1 + 1);
    CHECK_INT(n.l2_hits, 4 + 1 + 1); /* stores of what was not there are none */
    CHECK_INT(n.dram_read, 128 + 8 * 64 + 64 + 32);
    CHECK_INT(n.dram_write, 0);
    uint64_t ops[SIM_L2_SLICES], total = 0, most = 0;
    sim_access_launch_slices(s.f->launch, ops);
    for (unsigned i = 0; i < SIM_L2_SLICES; i++)
        total += ops[i], most = ops[i] > most ? ops[i] : most;
    CHECK_INT(total, 2); /* a sector each, however many lanes */
    CHECK_INT(most, 1);
    fixture_end(s.f);
    fixture_free(s.f);
}

/* How many 512-byte pieces the busiest slice has of so many from byte `from` on; a word of each is
 * changed. */
static uint64_t busiest_of(scene *s, unsigned from, unsigned pieces, uint64_t ops[SIM_L2_SLICES]) {
    fixture_start(s->f);
    for (unsigned k = 0; k < pieces; k++) go(s->f, s->atom, s->x + from + k * 512, 4, 1);
    sim_block_end(s->f->block);
    sim_block_commit(s->f->block);
    sim_access_launch_slices(s->f->launch, ops);
    fixture_end(s->f);
    return sim_access_busiest(ops);
}

/* 512 bytes that lie together share a slice, and eight neighbours never do. Of 64 in a row the
 * busiest slice has two or three: an H200 adds 35.5 words a nanosecond there, a slice one each 0.73
 * (words at random in 32 KB). */
static void slices(void) {
    scene s = scene_new();
    for (unsigned k = 0; k < BYTES / 128; k++) go(s.f, s.atom, s.x + k * 128, 32, 3);
    sim_block_end(s.f->block);
    sim_block_commit(s.f->block);
    uint64_t ops[SIM_L2_SLICES], odd = 0, total = 0;
    sim_access_launch_slices(s.f->launch, ops);
    for (unsigned i = 0; i < SIM_L2_SLICES; i++) odd += ops[i] % 8, total += ops[i];
    CHECK_INT(odd, 0); /* four lines, two sectors each */
    CHECK_INT(total, BYTES / 128 * 2);
    fixture_end(s.f);
    for (unsigned k = 0; k < 16; k++) CHECK_INT(busiest_of(&s, k * 512, 8, ops), 1);
    uint64_t most = busiest_of(&s, 0, 64, ops);
    CHECK(most == 2 || most == 3);
    for (unsigned k = 0; k < 8; k++) { /* two pieces, whichever */
        fixture_start(s.f);
        go(s.f, s.atom, s.x + k * 512, 512, 3);
        sim_block_end(s.f->block);
        sim_block_commit(s.f->block);
        sim_access_launch_slices(s.f->launch, ops);
        unsigned used = 0;
        for (unsigned i = 0; i < SIM_L2_SLICES; i++) used += ops[i] == 1;
        CHECK_INT(used, 2);
        fixture_end(s.f);
    }
    fixture_free(s.f);
}

/* Of each group of blocks, twice as many as run at once, what the busiest slice had, summed: a word
 * to each half of the launch costs as many as there are blocks, a word to every second block half
 * of them. */
static void in_turn(void) {
    static const struct {
        unsigned blocks, groups; /* of a word before the other has its turn; in the launch */
        uint64_t in_turn, most;
    } rows[] = {{2 * 40, 2, 4 * 40, 2 * 40}, {1, 2, 2 * 40, 2 * 40}, {2 * 40, 1, 2 * 40, 2 * 40}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        scene s = scene_new();
        CHECK_INT(s.f->profile->sms, 40);
        for (uint64_t b = 0; b < 2 * 40 * rows[k].groups; b++) {
            if (b) {
                sim_block_begin(s.f->block, b);
                sim_access_enter(s.f->access, s.f->block, 0);
            }
            go(s.f, s.atom, s.x + b / rows[k].blocks % 2 * 512, 4, 1);
            sim_block_end(s.f->block);
            sim_block_commit(s.f->block);
        }
        uint64_t ops[SIM_L2_SLICES], most = 0;
        CHECK_INT(sim_access_launch_slices(s.f->launch, ops), rows[k].in_turn);
        for (unsigned i = 0; i < SIM_L2_SLICES; i++) most = ops[i] > most ? ops[i] : most;
        CHECK_INT(most, rows[k].most);
        fixture_end(s.f);
        fixture_free(s.f);
    }
}

/* A block that was suspended keeps no more than STREAM_MAX_APART entries; of those that went to L2
 * before, the outcome is still known, but for parts. It goes on with an empty L1 of its own. */
static void sent_early(void) {
    enum { ACCESSES = STREAM_MAX_APART + 900, COLD = 100 };
    scene s = scene_new();
    size_t n;
    go(s.f, s.near, s.x, 4, ~0u);
    go(s.f, s.near, s.x, 4, ~0u);
    CHECK_INT(sim_access_last(s.f->access)->l1_hits, 4);
    sim_block_suspend(s.f->block);
    sim_block_stream(s.f->block, &n);
    CHECK_INT(n, 0);
    sim_access_enter(s.f->access, s.f->block, 0);
    go(s.f, s.near, s.x, 4, ~0u);
    CHECK_INT(sim_access_last(s.f->access)->l1_hits, 0);
    CHECK_INT(sim_access_last(s.f->access)->stream_at, 1);
    go(s.f, s.near, s.x, 4, ~0u);
    CHECK_INT(sim_access_last(s.f->access)->l1_hits, 4);
    for (unsigned k = 2; k < ACCESSES; k++) {
        if (k == 300 || k == ACCESSES - 1) go(s.f, s.st, s.x, 4, 1);
        else go(s.f, s.ld, s.x + k % COLD * 128, 4, ~0u);
        CHECK_INT(sim_access_last(s.f->access)->stream_at, k);
    }
    const sim_stream_entry *e = sim_block_stream(s.f->block, &n);
    CHECK_INT(n, ACCESSES - 1 - STREAM_MAX_APART);
    CHECK_INT(e[n - 1].words, 1);
    sim_block_end(s.f->block);
    sim_block_commit(s.f->block);
    static const struct {
        unsigned at, n, hits, dram, parts;
    } rows[] = {{0, 1, 0, 4, 0}, /* the first load of its line */
                {1, 1, 4, 0, 0},
                {2, 1, 0, 4, 0},
                {COLD - 1, 1, 0, 4, 0},
                {COLD, 1, 4, 0, 0},
                {COLD - 1, 2, 4, 4, 0},
                {300, 1, 1, 0, 0},
                {STREAM_MAX_APART - 1, 1, 4, 0, 0},
                {STREAM_MAX_APART, 2, 8, 0, 0},
                {STREAM_MAX_APART + 1, 1, 4, 0, 0},
                {ACCESSES - 1, 1, 1, 0, 1},
                {ACCESSES, 1, 0, 0, 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_stream_cost c = sim_block_stream_cost(s.f->block, rows[i].at, rows[i].n);
        bool right =
            c.l2_hits == rows[i].hits && c.dram == rows[i].dram && c.parts == rows[i].parts;
        if (!right) printf("# from %u: %u, %u, %u\n", rows[i].at, c.l2_hits, c.dram, c.parts);
        CHECK(right);
    }
    fixture_end(s.f);
    fixture_free(s.f);
}

/* ---- a block's own memory ---- */

static void own_memory(void) {
    fixture *f = fixture_new("h200");
    f->local_bytes = 60; /* 15 words */
    fixture_start(f);    /* 8 warps */
    CHECK_INT((uintptr_t)sim_block_shared(f->block) % 256,
              0); /* as far as any type asks, and more */
    uint8_t bytes[61], back[61];
    static const struct {
        unsigned warp, lane, at, n;
        bool fits;
    } rows[] = {{0, 0, 0, 60, true},         {0, 0, 0, 61, false}, {7, 31, 0, 60, true},
                {8, 0, 0, 1, false},         {7, 32, 0, 1, false}, {3, 5, 59, 1, true},
                {3, 5, 59, 2, false},        {3, 5, 60, 1, false}, {3, 6, 60, 0, true},
                {3, 6, 61, 0, false},        {3, 6, 3, 7, true},   {3, 6, UINT32_MAX, 1, false},
                {3, 6, 1, UINT32_MAX, false}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned k = 0; k < sizeof bytes; k++) bytes[k] = (uint8_t)(100 + 40 * i + k);
        memset(back, 0, sizeof back);
        CHECK_INT(
            sim_local_write(f->block, rows[i].warp, rows[i].lane, rows[i].at, bytes, rows[i].n),
            rows[i].fits);
        CHECK_INT(sim_local_read(f->block, rows[i].warp, rows[i].lane, rows[i].at, back, rows[i].n),
                  rows[i].fits);
        if (rows[i].fits) CHECK(!memcmp(bytes, back, rows[i].n));
        else CHECK_INT(back[0], 0);
    }
    fixture_end(f);
    /* Each byte of each thread is its own. */
    fixture_start(f);
    for (unsigned w = 0; w < 8; w++)
        for (unsigned l = 0; l < 32; l++) {
            for (unsigned k = 0; k < 60; k++) bytes[k] = (uint8_t)(w * 31 + l * 7 + k);
            sim_local_write(f->block, w, l, 0, bytes, 60);
        }
    unsigned wrong = 0;
    for (unsigned w = 0; w < 8; w++)
        for (unsigned l = 0; l < 32; l++)
            for (unsigned k = 0; k < 60; k++) {
                sim_local_read(f->block, w, l, k, back, 1);
                wrong += back[0] != (uint8_t)(w * 31 + l * 7 + k);
            }
    CHECK_INT(wrong, 0);
    /* Resident blocks have lines of their own: 15 of each of 8 warps, by multiprocessor and place
     * there. */
    static const struct {
        unsigned order, place;
    } at[] = {{0, 0}, {1, 2}, {131, 262}, {132, 1}, {133, 3}, {264, 0}};
    f->launch->c.resident_blocks = 2;
    sim_block_end(f->block);
    f->launch->l1_bytes = 0;
    sim_caches_launch(f->caches, 0);
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        sim_block_begin(f->block, at[i].order);
        CHECK_INT(f->block->sm, at[i].order % 132);
        CHECK_INT(f->block->local_line, SIM_LOCAL_WINDOW / 128 + (uint64_t)at[i].place * 8 * 15);
        sim_access_enter(f->access, f->block, 5);
        CHECK_INT(f->access->local_line - f->block->local_line, 5 * 15);
        sim_block_end(f->block);
    }
    sim_block_begin(f->block, 396);
    fixture_end(f);
    fixture_free(f);
}

int main(void) {
    for (unsigned i = 0; i < SIM_ISA_COUNT; i++) {
        if (!sim_isa_runs(i)) continue;
        each_access(sim_access_of(i));
        full_l1(sim_access_of(i));
        constants(sim_access_of(i));
        at_once(sim_access_of(i));
    }
    outcomes();
    slices();
    in_turn();
    sent_early();
    own_memory();
    return check_done();
}
