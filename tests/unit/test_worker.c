/* What a worker keeps: its counts, all of them after a few accesses of each kind and space
 * (expected: the definitions in counters.def, worked out beside the rows), texture look-ups, and
 * its findings until they are passed on. */
#include "check.h"
#include "access_fixture.h"
#include "tests/said.h"

/* ---- counts ---- */

static unsigned wrong_counters(const sim_counters *got, const sim_counters *want) {
    unsigned wrong = 0;
#define COUNTER(field, unit, ncu)                                                                  \
    if (got->field != want->field && ++wrong)                                                      \
        printf("# %s: %llu, not %llu\n", #field, (unsigned long long)got->field,                   \
               (unsigned long long)want->field);
#include "runner/device/sim/counters.def"
#undef COUNTER
    return wrong;
}

enum { LD, ST, AT, TX }; /* as sim_access_kind */
_Static_assert(TX == (int)SIM_ACCESS_TEX, "in that order");

/* Each row is one site that is asked twice for the same lanes. */
static void counts(void) {
    static const struct {
        sim_space space;
        unsigned kind, elem, vec;
        uint64_t first; /* of generic addresses; small ones: in the memory */
        unsigned step;
        uint32_t mask;
        sim_counters want;
    } rows[] = {
        /* clang-format off */
        /* 32 words side by side: four sectors, which L1 has the second time */
        {SIM_SPACE_GLOBAL, LD, 4, 1, 0, 4, ~0u, {.gld_requests = 2, .gld_sectors = 8, .gld_bytes = 256, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_GLOBAL, LD, 2, 4, 0, 8, 0xffff, {.gld_requests = 2, .gld_sectors = 8, .gld_bytes = 256, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_GLOBAL, LD, 8, 2, 0, 64, 3, /* 32 bytes in two sectors */ {.gld_requests = 2, .gld_sectors = 4, .gld_bytes = 64, .l1_sectors = 4, .l1_hits = 2}},
        {SIM_SPACE_GLOBAL, ST, 4, 1, 0, 4, ~0u, {.gst_requests = 2, .gst_sectors = 8, .gst_bytes = 256, .gst_distinct_bytes = 256, .l1_sectors = 8}},
        {SIM_SPACE_GLOBAL, ST, 8, 2, 0, 16, 0xff, /* 128 bytes */ {.gst_requests = 2, .gst_sectors = 8, .gst_bytes = 256, .gst_distinct_bytes = 256, .l1_sectors = 8}},
        {SIM_SPACE_GLOBAL, AT, 4, 1, 0, 0, 0xfff, {.atom_global_requests = 2, .atom_global_lanes = 24, .atom_global_sectors = 2, .atom_global_serialised = 24, .gst_distinct_bytes = 8, .repeated_store_bytes = 88}},
        {SIM_SPACE_GLOBAL, AT, 4, 1, 0, 4, 0xfff, {.atom_global_requests = 2, .atom_global_lanes = 24, .atom_global_sectors = 4, .atom_global_serialised = 2, .gst_distinct_bytes = 96}},
        {SIM_SPACE_GLOBAL, TX, 4, 1, 0, 4, ~0u, {.tex_requests = 2, .tex_sectors = 8, .tex_hits = 4, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_SHARED, LD, 4, 1, 0, 8, ~0u, /* two words on a bank */ {.shared_ld_requests = 2, .shared_ld_wavefronts = 4, .shared_ld_conflicts = 2}},
        {SIM_SPACE_SHARED, LD, 8, 1, 0, 8, ~0u, /* half a warp at a time */ {.shared_ld_requests = 2, .shared_ld_wavefronts = 4}},
        {SIM_SPACE_SHARED, ST, 4, 1, 0, 16, ~0u, {.shared_st_requests = 2, .shared_st_wavefronts = 8, .shared_st_conflicts = 6}},
        {SIM_SPACE_SHARED, AT, 4, 1, 0, 0, 0x1f, {.atom_shared_requests = 2, .atom_shared_lanes = 10, .atom_shared_serialised = 10}},
        {SIM_SPACE_LOCAL, LD, 4, 1, 16, 0, ~0u, {.local_ld_requests = 2, .local_ld_sectors = 8, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_LOCAL, LD, 4, 2, 16, 0, 0xff, /* two lines, a sector of each */ {.local_ld_requests = 2, .local_ld_sectors = 4, .l1_sectors = 4, .l1_hits = 2}},
        {SIM_SPACE_LOCAL, ST, 8, 1, 16, 0, 0x100, {.local_st_requests = 2, .local_st_sectors = 4, .l1_sectors = 4}},
        {SIM_SPACE_CONST, LD, 4, 1, 0, 4, 7, {.const_requests = 2, .const_serialised = 4, .const_words = 2}},
        {SIM_SPACE_CONST, LD, 4, 4, 0, 0, 7, /* a float4 */ {.const_requests = 2, .const_words = 8}},
        {SIM_SPACE_GENERIC, LD, 4, 1, 0, 4, ~0u, {.gld_requests = 2, .gld_sectors = 8, .gld_bytes = 256, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_GENERIC, ST, 4, 1, SIM_SHARED_WINDOW, 4, ~0u, {.shared_st_requests = 2, .shared_st_wavefronts = 2}},
        {SIM_SPACE_GENERIC, LD, 4, 1, SIM_LOCAL_WINDOW + 16, 0, ~0u, {.local_ld_requests = 2, .local_ld_sectors = 8, .l1_sectors = 8, .l1_hits = 4}},
        {SIM_SPACE_GENERIC, AT, 4, 1, SIM_SHARED_WINDOW, 0, 3, {.atom_shared_requests = 2, .atom_shared_lanes = 4, .atom_shared_serialised = 4}},
        /* clang-format on */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        f->options.check_race_shared = f->options.check_uninit = false;
        sim_addr x, c;
        sim_memory_alloc(f->memory, 8192, SIM_ALLOC_USER, "x", &x);
        sim_memory_alloc(f->memory, 8192, SIM_ALLOC_CONST, "c", &c);
        sim_memory_fill(f->memory, x, 0, 4, 2048);
        sim_memory_fill(f->memory, c, 0, 4, 2048);
        const sim_site *s = fixture_site(f, rows[i].space, (sim_access_kind)rows[i].kind,
                                         rows[i].elem, rows[i].vec, 1);
        fixture_start(f);
        uint64_t wide[32], regs[8][32] = {{0}};
        uint32_t narrow[32];
        void *dst[8], *ptr[32];
        sim_space space = rows[i].space;
        for (unsigned k = 0; k < 8; k++) dst[k] = regs[k];
        for (unsigned l = 0; l < 32; l++) {
            uint64_t at = rows[i].first + l * rows[i].step;
            narrow[l] = (uint32_t)at;
            wide[l] = at + (space == SIM_SPACE_CONST ? c : at < 8192 ? x : 0);
        }
        const void *at =
            space == SIM_SPACE_SHARED || space == SIM_SPACE_LOCAL ? (void *)narrow : wide;
        for (unsigned k = 0; k < 2; k++) {
            uint32_t ok = rows[i].kind == LD ? s->load(f->access, s, at, rows[i].mask, dst)
                          : rows[i].kind == ST
                              ? s->store(f->access, s, at, rows[i].mask, (const void *const *)dst)
                              : s->ptr(f->access, s, at, rows[i].mask, ptr);
            CHECK_INT(ok, rows[i].mask);
        }
        sim_counters got = fixture_counters(f), twice = rows[i].want;
        char what[40];
        snprintf(what, sizeof what, "row %u", i);
        check_that(!wrong_counters(&got, &rows[i].want), __FILE__, __LINE__, what, "counts");
        sim_access_count(f->access, s, &got); /* added to what is there */
        for (size_t k = 0; k < sizeof twice / sizeof(uint64_t); k++) ((uint64_t *)&twice)[k] *= 2;
        check_that(!wrong_counters(&got, &twice), __FILE__, __LINE__, what, "counts, added");
        fixture_end(f);
        CHECK_INT(f->found_count, 0);
        fixture_free(f);
    }
}

/* ---- textures ---- */

/* Sectors of one line that follow each other are one look-up; one that comes again is another. */
static void textures(void) {
    static const struct {
        uint64_t sector[8];
        unsigned n, lines, hits, entries;
        unsigned mask[4]; /* of the entries */
    } rows[] = {{{0, 1, 2, 3}, 4, 1, 0, 1, {15}},    {{2}, 1, 1, 0, 1, {4}},
                {{0, 1, 0}, 3, 2, 1, 1, {3}},        {{3, 4}, 2, 2, 0, 2, {8, 1}},
                {{0, 4, 1}, 3, 3, 0, 3, {1, 1, 2}},  {{0, 0, 0, 0}, 4, 4, 3, 1, {1}},
                {{5, 6, 5, 7}, 4, 2, 1, 2, {6, 8}},  {{3, 2, 1, 0}, 4, 1, 0, 1, {15}},
                {{7, 11, 7, 11}, 4, 4, 2, 2, {8, 8}}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_addr x;
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "x", &x);
        sim_memory_fill(f->memory, x, 0, 4, 1024);
        const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_TEX, 4, 1, 1);
        fixture_start(f);
        uint64_t addr[32], sector[8];
        for (unsigned l = 0; l < 32; l++) addr[l] = x + l * 4;
        for (unsigned k = 0; k < 8; k++) sector[k] = x / 32 + rows[i].sector[k];
        for (unsigned again = 0; again < 2; again++) {
            CHECK_INT(sim_access_texture(f->access, s, addr, 0xff0, sector, rows[i].n), 0xff0);
            const sim_access_cost *c = sim_access_last(f->access);
            CHECK_INT(c->space, SIM_SPACE_GLOBAL);
            CHECK_INT(c->lanes, 8);
            CHECK_INT(c->passes, 1);
            CHECK_INT(c->lines, rows[i].lines);
            CHECK_INT(c->sectors, rows[i].n);
            CHECK_INT(c->l1_hits, again ? rows[i].n : rows[i].hits);
            CHECK_INT(c->distinct, 0);
            CHECK_INT(c->stream_at, again ? rows[i].entries : 0);
            CHECK_INT(c->stream_n, again ? 0 : rows[i].entries);
        }
        size_t n;
        const sim_stream_entry *e = sim_block_stream(f->block, &n);
        CHECK_INT(n, rows[i].entries);
        for (size_t k = 0; k < n; k++) {
            CHECK_INT(e[k].sectors, rows[i].mask[k]);
            CHECK_INT(e[k].op, SIM_STREAM_LOAD);
            CHECK_INT(e[k].words, 0);
        }
        CHECK_INT(e[0].line, x / 128 + rows[i].sector[0] / 4);
        sim_counters got = fixture_counters(f), want = {.tex_requests = 2,
                                                        .tex_sectors = 2 * rows[i].n,
                                                        .tex_hits = rows[i].n + rows[i].hits,
                                                        .l1_sectors = 2 * rows[i].n,
                                                        .l1_hits = rows[i].n + rows[i].hits};
        CHECK_INT(wrong_counters(&got, &want), 0);
        fixture_end(f);
        CHECK_INT(f->found_count, 0);
        fixture_free(f);
    }
}

/* Texels that are not there, or never written. */
static void texels(void) {
    static const struct {
        unsigned lane, at; /* of that lane; the others are at 0, or there too */
        bool through;
        const char *text;
        bool all;
    } rows[] = {
        {5, 4092, true, NULL, false},
        {5, 4096, false,
         "test.cu:1: thread 5 of block 0 of k reads 4 bytes out of bounds: just past the end of x "
         "(4,096 bytes)",
         false},
        {31, 4094, false,
         "thread 31 of block 0 of k reads 4 bytes at an address that is not a multiple of 4: byte "
         "4,094",
         false},
        {9, 2048, true,
         "thread 9 of block 0 of k reads memory that nothing has written: byte 2,048 of x", false},
        {9, 2044, true, NULL, false},
        {9, 2060, true, "nothing has written: byte 2,060 of x", false},
        {9, 2064, true, NULL, false},
        {0, 2052, true,
         "thread 0 of block 0 of k reads memory that nothing has written: byte 2,052 of x", true},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_addr x;
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "x", &x);
        sim_memory_fill(f->memory, x, 0, 4, 1024);
        sim_memory_poison(f->memory, x + 2048, 16);
        const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_TEX, 4, 1, 1);
        fixture_start(f);
        uint64_t addr[32], sector = x / 32;
        for (unsigned l = 0; l < 32; l++)
            addr[l] = x + (l == rows[i].lane || rows[i].all ? rows[i].at : 0);
        for (unsigned k = 0; k < 2; k++) { /* the second time the allocation is known */
            uint32_t want = rows[i].through ? ~0u : ~(1u << rows[i].lane);
            CHECK_INT(sim_access_texture(f->access, s, addr, ~0u, &sector, 1), want);
        }
        CHECK_INT(sim_access_fault(f->access) == SIM_OK, rows[i].through);
        sim_counters got = fixture_counters(f);
        CHECK_INT(got.tex_requests, rows[i].through ? 2 : 0);
        fixture_end(f);
        CHECK_INT(f->found_count, rows[i].text != NULL);
        CHECK_CONTAINS(f->found_count ? said(&f->found[0].said) : "",
                       rows[i].text ? rows[i].text : "");
        if (rows[i].text) CHECK_INT(f->found[0].count, rows[i].all ? 64 : 2);
        fixture_free(f);
    }
}

/* ---- findings ---- */

/* Two reports are of one finding only if all of this is the same. */
static void same_place(void) {
    static const struct {
        const char *what;
        sim_event e;
        size_t found;
    } rows[] = {
        {"the same",
         {.kind = SIM_FIND_RACE, .loc = 5, .ptx_line = 9, .other_loc = 6, .other_ptx_line = 8},
         1},
        {"another kind",
         {.kind = SIM_FIND_OOB, .loc = 5, .ptx_line = 9, .other_loc = 6, .other_ptx_line = 8},
         2},
        {"another line",
         {.kind = SIM_FIND_RACE, .loc = 4, .ptx_line = 9, .other_loc = 6, .other_ptx_line = 8},
         2},
        {"it writes",
         {.kind = SIM_FIND_RACE,
          .loc = 5,
          .ptx_line = 9,
          .other_loc = 6,
          .other_ptx_line = 8,
          .write = true},
         2},
        {"the other's line",
         {.kind = SIM_FIND_RACE, .loc = 5, .ptx_line = 9, .other_loc = 7, .other_ptx_line = 8},
         2},
        {"the other writes",
         {.kind = SIM_FIND_RACE,
          .loc = 5,
          .ptx_line = 9,
          .other_loc = 6,
          .other_ptx_line = 8,
          .other_write = true},
         2},
        {"of a line, another instruction",
         {.kind = SIM_FIND_RACE, .loc = 5, .ptx_line = 10, .other_loc = 6, .other_ptx_line = 8},
         1},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        fixture_start(f);
        sim_event e = rows[0].e, other = rows[i].e;
        e.has_other = other.has_other = true;
        e.space = other.space = "shared";
        e.count = 3, other.count = 4;
        e.thread = 1, other.thread = 2; /* they are told in this order */
        sim_access_report(f->access, &e);
        sim_access_report(f->access, &other);
        sim_access_report(f->access, &e);
        fixture_end(f);
        printf("# %s\n", rows[i].what);
        CHECK_INT(f->found_count, rows[i].found);
        CHECK_INT(f->found_count ? f->found[0].count : 0, rows[i].found == 1 ? 10 : 6);
        fixture_free(f);
    }
    for (unsigned k = 0; k < 3;
         k++) { /* without lines of the source, an instruction is one: 1: other, 2: the other's */
        fixture *f = fixture_new("h200");
        fixture_start(f);
        sim_event e = {.kind = SIM_FIND_RACE,
                       .ptx_line = 9,
                       .other_ptx_line = 8,
                       .has_other = true,
                       .space = "shared"};
        sim_access_report(f->access, &e);
        e.ptx_line += k == 1, e.other_ptx_line += k == 2;
        sim_access_report(f->access, &e);
        fixture_end(f);
        CHECK_INT(f->found_count, 1 + (k > 0));
        fixture_free(f);
    }
}

/* More places than a worker keeps at once, in rounds: all are told, each with its count and its
 * lowest block. */
static void many_places(void) {
    for (unsigned places = PENDING - 1; places <= 3 * PENDING; places++) {
        if (places > PENDING + 1 && places < 3 * PENDING) continue;
        fixture *f = fixture_new("h200");
        fixture_start(f);
        for (unsigned round = 0; round < 5; round++)
            for (unsigned p = 0; p < places; p++) {
                static const uint64_t block[] = {7, 9, 3, 3, 8};
                sim_event e = {.kind = SIM_FIND_OOB,
                               .loc = 1 + p,
                               .ptx_line = 1 + p * 16,
                               .space = "shared",
                               .space_size = 1,
                               .block = block[round],
                               .thread = round,
                               .count = 1 + p};
                sim_access_report(f->access, &e);
            }
        fixture_end(f);
        CHECK_INT(f->found_count, places);
        unsigned wrong = 0;
        for (size_t k = 0; k < f->found_count; k++)
            wrong += f->found[k].count != 5 * f->found[k].line || f->found[k].thread[0] != 2 ||
                     f->found[k].line != k + 1;
        CHECK_INT(wrong, 0);
        fixture_free(f);
    }
}

/* The first fault is the worker's, whatever comes after it. */
static void first_fault(void) {
    fixture *f = fixture_new("h200");
    fixture_start(f);
    sim_event e = {.kind = SIM_FIND_MISALIGNED, .loc = 1, .space = "shared", .count = 1};
    CHECK_INT(sim_access_fault(f->access), SIM_OK);
    sim_access_fail(f->access, &e, SIM_MISALIGNED);
    sim_access_fail(f->access, &e, SIM_ILLEGAL_ADDRESS);
    CHECK_INT(sim_access_fault(f->access), SIM_MISALIGNED);
    sim_access_flush(f->access); /* handed over once */
    CHECK_INT(sim_findings_count(f->findings), 1);
    fixture_end(f);
    CHECK_INT(f->found_count, 1);
    CHECK_INT(f->found[0].count, 2);
    fixture_free(f);
}

int main(void) {
    counts();
    textures();
    texels();
    same_place();
    many_places();
    first_fault();
    return check_done();
}
