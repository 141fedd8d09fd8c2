/* A block's stream in brief (columns, joined where they repeat) tells L2 what one entry for each
 * line tells it: the same accesses go both ways, block after block, launch after launch, and every
 * count must agree; what the caches hold then is asked by loading all of it. Where a column may not
 * be joined, and where none may be made, is told case by case. */
#include "check.h"
#include "access_fixture.h"

enum { BYTES = 1 << 20, WAYS = 2, KINDS = 9 };

typedef struct {
    fixture *f[WAYS]; /* an entry for each line; in brief */
    sim_addr x[WAYS];
    unsigned order;
} pair;

/* Sites 0 to 4: stores of 1, 2, 4, 8, 16 bytes; a load, one past L1, an atomic; a store of 32
 * bytes. */
static pair pair_new(const char *profile, const sim_access_isa *isa, uint64_t bytes) {
    static const uint8_t shape[KINDS][3] = {
        {SIM_ACCESS_STORE, 1, 1}, {SIM_ACCESS_STORE, 2, 1}, {SIM_ACCESS_STORE, 4, 1},
        {SIM_ACCESS_STORE, 8, 1}, {SIM_ACCESS_STORE, 4, 4}, {SIM_ACCESS_LOAD, 4, 1},
        {SIM_ACCESS_LOAD, 4, 1},  {SIM_ACCESS_ATOM, 4, 1},  {SIM_ACCESS_STORE, 8, 4},
    };
    pair p = {.order = 0};
    for (unsigned w = 0; w < WAYS; w++) {
        fixture *f = p.f[w] = fixture_new(profile);
        sim_caches_free(f->caches);
        f->caches = sim_caches_make(f->profile, isa->l2_feed);
        sim_memory_alloc(f->memory, bytes, SIM_ALLOC_USER, "x", &p.x[w]);
        sim_memory_fill(f->memory, p.x[w], 0, 4, bytes / 4);
        for (unsigned k = 0; k < KINDS; k++) {
            sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, (sim_access_kind)shape[k][0],
                                       shape[k][1], shape[k][2], 1 + k);
            isa->bind(s);
            if (k == 6) s->flags = SIM_SITE_BYPASS_L1;
        }
    }
    CHECK_INT(p.x[0], p.x[1]);
    return p;
}
static void pair_free(pair *p) {
    for (unsigned w = 0; w < WAYS; w++) fixture_free(p->f[w]);
}

/* The first block of a launch, and each that follows. */
static void pair_start(pair *p) {
    p->order = 0;
    for (unsigned w = 0; w < WAYS; w++) fixture_start(p->f[w]);
    sim_block_brief(p->f[1]->block);
}
static void pair_next(pair *p) {
    p->order++;
    for (unsigned w = 0; w < WAYS; w++) {
        sim_block_mem *b = p->f[w]->block;
        sim_block_end(b);
        sim_block_commit(b);
        sim_block_begin(b, p->order);
        if (w) sim_block_brief(b);
        sim_access_enter(p->f[w]->access, b, 0);
    }
}
/* Ends it. */
static void pair_counts(pair *p, sim_counters c[WAYS]) {
    for (unsigned w = 0; w < WAYS; w++) {
        fixture *f = p->f[w];
        sim_block_end(f->block);
        sim_block_commit(f->block);
        c[w] = fixture_counters(f);
        sim_access_launch_count(f->launch, &c[w]);
        sim_block_begin(f->block, p->order + 1); /* fixture_end() ends one */
        fixture_end(f);
    }
}
/* The same: do all counts agree? */
static bool pair_agrees(pair *p, sim_counters *to) {
    sim_counters c[WAYS];
    pair_counts(p, c);
    *to = c[1];
    return !memcmp(&c[0], &c[1], sizeof c[0]);
}

/* Lane l of the warp at first + l * step, of the whole memory. */
static void pair_go(pair *p, unsigned kind, unsigned warp, uint64_t first, uint64_t step,
                    uint32_t mask) {
    for (unsigned w = 0; w < WAYS; w++) {
        fixture *f = p->f[w];
        const sim_site *s = &f->sites[kind];
        uint64_t addr[32];
        uint32_t reg[4][64] = {{0}};
        void *dst[4] = {reg[0], reg[1], reg[2], reg[3]}, *ptr[32];
        for (unsigned l = 0; l < 32; l++) addr[l] = p->x[w] + first + l * step;
        sim_access_enter(f->access, f->block, warp);
        if (s->kind == SIM_ACCESS_LOAD) s->load(f->access, s, addr, mask, dst);
        else if (s->kind == SIM_ACCESS_STORE)
            s->store(f->access, s, addr, mask, (const void *const *)dst);
        else s->ptr(f->access, s, addr, mask, ptr);
    }
}

static void ask_all(pair *p, unsigned *differ) {
    sim_counters c;
    pair_start(p);
    for (uint64_t at = 0; at < BYTES; at += 512) { /* four lines */
        pair_go(p, 6, 0, at, 16, ~0u);
        if (at % (1 << 18) == 0) pair_next(p);
    }
    *differ += !pair_agrees(p, &c);
}

/* Columns of the given stream, and stores that joined them. */
static void columns_in(const sim_block_mem *b, unsigned *columns, unsigned *joined) {
    size_t n;
    const sim_stream_entry *e = sim_block_stream(b, &n);
    *columns = *joined = 0;
    for (size_t i = 0; i < n; i++)
        if (e[i].op == SIM_STREAM_COLUMN) ++*columns, *joined += e[++i].words - 1;
}

/* What kernels do in this and that order: columns again and again, with runs, loads, atomics
 * between. */
static void at_random(const char *profile, const sim_access_isa *isa) {
    static const unsigned steps[] = {128, 256, 384, 1024, 4096, 8192, 16384, 132, 136, 32, 4};
    pair p = pair_new(profile, isa, BYTES);
    uint64_t rnd = 11;
    unsigned differ = 0, all_columns = 0, all_joined = 0;
    for (unsigned launch = 0; launch < 12; launch++) {
        sim_counters c;
        pair_start(&p);
        for (unsigned block = 0; block < 12; block++) {
            uint64_t place[3], step[3];
            for (unsigned k = 0; k < 3; k++) {
                step[k] = steps[fixture_random(&rnd) % (sizeof steps / sizeof *steps)];
                place[k] = fixture_random(&rnd) % (BYTES - 32 * step[k]) / 128 * 128;
            }
            if (fixture_random(&rnd) % 2) place[1] = place[0]; /* they meet */
            unsigned mostly = fixture_random(&rnd) % 5, accesses = fixture_random(&rnd) % 400;
            for (unsigned i = 0; i < accesses; i++) {
                unsigned k = fixture_random(&rnd) % 3, kind = mostly;
                if (fixture_random(&rnd) % 8 == 0) kind = fixture_random(&rnd) % KINDS;
                unsigned size = kind == 4  ? 16
                                : kind < 4 ? 1u << kind
                                           : 4,
                         in = fixture_random(&rnd) % 128 / size * size;
                uint64_t by = step[k] % size ? 128 : step[k];
                uint32_t mask = fixture_random(&rnd) % 16 ? ~0u : ~0u >> fixture_random(&rnd) % 31;
                if (place[k] + in + 32 * by > BYTES) in = 0;
                pair_go(&p, kind, fixture_random(&rnd) % 8, place[k] + in, by, mask);
            }
            unsigned columns, joined;
            columns_in(p.f[1]->block, &columns, &joined);
            all_columns += columns, all_joined += joined;
            columns_in(p.f[0]->block, &columns, &joined);
            CHECK_INT(columns, 0);
            pair_next(&p);
        }
        differ += !pair_agrees(&p, &c);
        ask_all(&p, &differ);
    }
    printf("# %s, %s: %u columns, %u joined\n", profile, isa->name, all_columns, all_joined);
    CHECK_INT(differ, 0);
    CHECK(all_columns > 1000 && all_joined > 1000);
    pair_free(&p);
}

/* A naive transpose of n x n floats in blocks of 32 x 8 threads: each block's stores are one
 * column. Its lines are written as a whole, so that nothing of them is read. */
static void transpose(const sim_access_isa *isa) {
    enum { N = 256, TILE = 32, OUT = N * N * 4 };
    pair p = pair_new("h200", isa, BYTES);
    unsigned columns, joined, other = 0;
    sim_counters c;
    pair_start(&p);
    for (unsigned by = 0; by < N; by += TILE)
        for (unsigned bx = 0; bx < N; bx += TILE) {
            for (unsigned w = 0; w < 8; w++)
                for (unsigned j = 0; j < TILE; j += 8) {
                    unsigned y = by + w + j;
                    pair_go(&p, 5, w, (y * N + bx) * 4, 4, ~0u);
                    pair_go(&p, 2, w, OUT + (bx * N + y) * 4, N * 4, ~0u);
                }
            columns_in(p.f[1]->block, &columns, &joined);
            other += columns != 1 || joined != 31;
            pair_next(&p);
        }
    CHECK_INT(other, 0);
    CHECK(pair_agrees(&p, &c));
    CHECK_INT(c.dram_read, N * N * 4);
    CHECK_INT(c.dram_write, 0);
    pair_free(&p);
}

/* What a block's stream is does not hang on the blocks before it. */
static void history(const sim_access_isa *isa) {
    enum { MOST = 64 };
    pair p = pair_new("h200", isa, BYTES);
    sim_stream_entry first[MOST];
    size_t length = 0;
    sim_counters c;
    pair_start(&p);
    for (unsigned before = 0; before < 8; before++) {
        for (unsigned k = 0; k < before; k++) pair_go(&p, 2, 0, k * 128, 2048, ~0u);
        pair_next(&p);
        for (unsigned k = 0; k < 12; k++) pair_go(&p, 2, 0, k % 6 * 128, 1024, ~0u);
        size_t n;
        const sim_stream_entry *e = sim_block_stream(p.f[1]->block, &n);
        if (!before) memcpy(first, e, (length = n) * sizeof *e);
        CHECK(n == length && !memcmp(e, first, n * sizeof *e));
        pair_next(&p);
    }
    CHECK(length && length < MOST);
    CHECK(pair_agrees(&p, &c));
    pair_free(&p);
}

/* Accesses one after another, and the columns and joined stores that they make in brief. */
static void case_by_case(const sim_access_isa *isa) {
    enum { OTHERS = 140 };
    const struct {
        const char *what;
        struct {
            unsigned kind, first, step;
            uint32_t mask;
        } go[4];
        unsigned columns, joined;
    } rows[] = {
        {"the same again", {{2, 0, 1024, ~0u}, {2, 0, 1024, ~0u}}, 1, 1},
        {"other words, other sectors", {{2, 4, 1024, ~0u}, {2, 100, 1024, ~0u}}, 1, 1},
        {"another width", {{2, 4, 1024, ~0u}, {4, 64, 1024, ~0u}, {0, 3, 1024, ~0u}}, 1, 2},
        {"another step", {{2, 0, 1024, ~0u}, {2, 0, 2048, ~0u}}, 2, 0},
        {"another line", {{2, 0, 1024, ~0u}, {2, 128, 1024, ~0u}}, 2, 0},
        {"two in turn",
         {{2, 0, 512, ~0u}, {2, 1 << 19, 512, ~0u}, {2, 8, 512, ~0u}, {2, (1 << 19) + 8, 512, ~0u}},
         2,
         2},
        {"a lane is missing", {{2, 0, 1024, ~0u >> 1}, {2, 0, 1024, ~0u << 1}}, 0, 0},
        {"lines with a part between", {{2, 0, 132, ~0u}, {2, 0, 160, ~0u}}, 0, 0},
        {"loaded in between", {{2, 0, 1024, ~0u}, {6, 31 * 1024, 4, ~0u}, {2, 4, 1024, ~0u}}, 2, 0},
        {"the last lane's line by an atomic",
         {{2, 0, 1024, ~0u}, {7, 31 * 1024, 0, 1}, {2, 4, 1024, ~0u}},
         2,
         0},
        {"the line before and behind",
         {{2, 1024, 1024, ~0u},
          {6, 896, 4, ~0u},
          {6, 32 * 1024 + 128, 4, ~0u},
          {2, 1028, 1024, ~0u}},
         1,
         1},
        {"a column loaded", {{2, 0, 1024, ~0u}, {5, 0, 1024, ~0u}, {2, 4, 1024, ~0u}}, 2, 0},
        {"stored in between", {{2, 0, 1024, ~0u}, {2, 2048, 4, ~0u}, {2, 4, 1024, ~0u}}, 1, 1},
        {"a store to its line before", {{2, 0, 4, 15}, {2, 16, 1024, ~0u}}, 1, 0},
        {"that of another warp", {{2, 0, 4, ~0u}, {2, 16, 1024, ~0u}}, 1, 0},
        {"whole sectors", {{8, 0, 1024, ~0u}, {8, 0, 1024, ~0u}}, 0, 0},
        {"loads are none", {{5, 0, 1024, ~0u}, {6, 0, 2048, ~0u}, {7, 0, 1024, ~0u}}, 0, 0},
    };
    pair p = pair_new("h200", isa, BYTES);
    unsigned differ = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_counters c;
        unsigned columns, joined;
        pair_start(&p);
        for (unsigned k = 0; k < 4 && (rows[i].go[k].mask || rows[i].go[k].step); k++)
            pair_go(&p, rows[i].go[k].kind, 0, rows[i].go[k].first, rows[i].go[k].step,
                    rows[i].go[k].mask);
        columns_in(p.f[1]->block, &columns, &joined);
        if (columns != rows[i].columns || joined != rows[i].joined)
            printf("# %s: %u columns, %u joined\n", rows[i].what, columns, joined);
        CHECK(columns == rows[i].columns && joined == rows[i].joined);
        differ += !pair_agrees(&p, &c);
        ask_all(&p, &differ);
    }
    CHECK_INT(differ, 0);
    /* What L2 could have lost meanwhile is not joined. */
    for (unsigned others = OTHERS - 15; others <= OTHERS; others += 15) {
        unsigned columns, joined;
        sim_counters c;
        pair_start(&p);
        pair_go(&p, 2, 0, 0, 1024, ~0u);
        for (unsigned k = 0; k < others; k++) pair_go(&p, 6, 0, (1 << 19) + k * 128, 4, ~0u);
        pair_go(&p, 2, 0, 4, 1024, ~0u);
        columns_in(p.f[1]->block, &columns, &joined);
        CHECK_INT(columns, others == OTHERS ? 2 : 1);
        CHECK(pair_agrees(&p, &c));
    }
    /* A stream that is sent early begins anew: nothing joins what was sent. */
    enum { EARLY = 1 << 12 };
    sim_counters c;
    pair_start(&p);
    for (unsigned w = 0; w < WAYS; w++)
        p.f[w]->launch->suspended = true; /* as if one were parked */
    pair_go(&p, 2, 0, 0, 1024, ~0u);
    for (unsigned k = 0; k < EARLY / 32; k++) pair_go(&p, 6, 0, 1 << 19, 128, ~0u);
    pair_go(&p, 2, 0, 4, 1024, ~0u);
    CHECK(p.f[1]->block->stream_base >= EARLY && p.f[1]->block->stream_n < 64);
    CHECK(pair_agrees(&p, &c));
    pair_free(&p);
}

/* More lines than L2 holds, each column stored at once: the same lines leave it. */
static void beyond_l2(const sim_access_isa *isa) {
    enum { LARGE = 16 << 20, PLACES = (LARGE - 32 * 1024) / 512 };
    pair p = pair_new("t4", isa, LARGE);
    pair_start(&p);
    for (unsigned i = 0; i < 4000; i++) {
        unsigned at = i * 7919u % PLACES;
        for (unsigned k = 0; k < 8; k++) pair_go(&p, 2, k, at * 512 + k * 4, 1024, ~0u);
        if (i % 3 == 0) pair_go(&p, 6, 0, i * 104729u % PLACES * 512, 4, ~0u);
        if (i % 4 == 3) pair_next(&p);
    }
    sim_counters c;
    CHECK(pair_agrees(&p, &c));
    CHECK(c.dram_write > 32 * 60000 && c.dram_read > 32 * 1000);
    pair_free(&p);
}

int main(void) {
    for (unsigned i = 0; i < SIM_ISA_COUNT; i++) {
        if (!sim_isa_runs(i)) continue;
        at_random("t4", sim_access_of(i));
        at_random("h200", sim_access_of(i));
        transpose(sim_access_of(i));
        case_by_case(sim_access_of(i));
        history(sim_access_of(i));
        beyond_l2(sim_access_of(i));
    }
    return check_done();
}
