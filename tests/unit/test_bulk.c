/* Ranges that the copy engine moves (bulk.c) and which of them may still be under way
 * (race_bulk.c): every range against its bytes one by one, every bound from both sides, and
 * programs of a few steps whose verdict follows from PTX ISA 9.7.9.25, "Completion Mechanisms for
 * Asynchronous Copy Operations". */
#include "check.h"
#include "access_fixture.h"
#include "tests/said.h"

enum { SHARED = 16384 };

static const char *text(const fixture *f) {
    return f->found_count ? said(&f->found[0].said) : "nothing";
}

/* ---- global memory ---- */

static void ranges(void) {
    static const struct {
        unsigned first, n;
    } rows[] = {{0, 16},     {0, 1},    {16, 16}, {16, 32},  {112, 16}, {112, 32},
                {127, 1},    {127, 2},  {96, 64}, {0, 128},  {0, 129},  {31, 2},
                {32, 32},    {33, 30},  {4, 3},   {3, 2},    {0, 1024}, {16, 1024},
                {640, 1000}, {8, 4096}, {124, 8}, {124, 132}};
    static const sim_access_kind kinds[] = {SIM_ACCESS_LOAD, SIM_ACCESS_STORE, SIM_ACCESS_ATOM};
    for (unsigned kind = 0; kind < 3; kind++) {
        fixture *f = fixture_new("h200");
        sim_addr x;
        sim_memory_alloc(f->memory, 8192, SIM_ALLOC_USER, "x", &x);
        sim_memory_fill(f->memory, x, 0, 4, 2048);
        const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, kinds[kind], 1, 1, 1);
        fixture_start(f);
        unsigned entries = 0, wrong = 0;
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
            sim_access_cost c = sim_bulk_begin(f->access, 5);
            CHECK(c.space == SIM_SPACE_GLOBAL && c.lanes == 5 && c.passes == 1);
            CHECK(c.stream_at == entries && !c.lines && !c.sectors && !c.stream_n);
            unsigned lines = 0, sectors = 0, from = entries;
            for (unsigned twice = 0; twice < 2; twice++) { /* two ranges of one instruction */
                sim_addr at = x + rows[i].first + 1024 * twice;
                wrong += sim_bulk_global(f->access, s, 0, at, rows[i].n, 1, &c) !=
                         sim_memory_host(f->memory, at, 1);
                size_t n;
                const sim_stream_entry *e = sim_block_stream(f->block, &n);
                for (uint64_t line = at / 128; line <= (at + rows[i].n - 1) / 128; line++) {
                    uint32_t words = 0, mask = 0;
                    for (uint64_t b = at; b < at + rows[i].n; b++)
                        if (b / 128 == line) words |= 1u << b % 128 / 4, mask |= 1u << b % 128 / 32;
                    const sim_stream_entry *is = &e[entries++];
                    wrong += entries > n || is->line != line || is->sectors != mask ||
                             is->words != (kinds[kind] == SIM_ACCESS_STORE ? words : 0) ||
                             is->op != (kinds[kind] == SIM_ACCESS_LOAD    ? SIM_STREAM_LOAD
                                        : kinds[kind] == SIM_ACCESS_STORE ? SIM_STREAM_STORE
                                                                          : SIM_STREAM_ATOM);
                    lines++;
                    sectors += (unsigned)__builtin_popcount(mask);
                }
                wrong += n != entries;
            }
            wrong += c.lines != lines || c.sectors != sectors || c.stream_at != from ||
                     c.stream_n != entries - from || c.lanes != 5 || c.passes != 1;
            sim_bulk_end(f->access, &c);
            wrong += memcmp(&c, sim_access_last(f->access), sizeof c) != 0;
        }
        CHECK_INT(wrong, 0);
        uint64_t ops[SIM_L2_SLICES], sum = 0, all = 0;
        size_t n;
        const sim_stream_entry *e = sim_block_stream(f->block, &n);
        for (size_t i = 0; i < n; i++) all += (unsigned)__builtin_popcount(e[i].sectors);
        sim_block_end(f->block);
        sim_block_commit(f->block);
        sim_access_launch_slices(f->launch, ops); /* of atomics alone */
        for (unsigned i = 0; i < SIM_L2_SLICES; i++) sum += ops[i];
        CHECK_INT(sum, kinds[kind] == SIM_ACCESS_ATOM ? all : 0);
        fixture_end(f);
        CHECK_STR(text(f), "nothing");
        fixture_free(f);
    }
}

typedef struct {
    sim_addr from;
    uint8_t how[1024];
} notes;
static void note(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc) {
    notes *n = user;
    (void)loc;
    for (uint64_t k = from - n->from; bytes--; k++) n->how[k] = (uint8_t)how;
}

/* With the check of races in global memory on: each word that a range reaches into was read,
 * written or updated, and no other. */
static void noted(void) {
    static const struct {
        unsigned first, n;
    } rows[] = {{0, 4},     {256, 16}, {256, 124}, {256, 128}, {256, 132},
                {256, 260}, {258, 4},  {259, 1},   {400, 512}};
    static const struct {
        sim_access_kind kind;
        unsigned how;
    } kinds[] = {{SIM_ACCESS_LOAD, SIM_WORD_READ},
                 {SIM_ACCESS_STORE, SIM_WORD_WRITTEN},
                 {SIM_ACCESS_ATOM, SIM_WORD_ATOMIC}};
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
            fixture *f = fixture_new("h200");
            f->options.check_race_global = true;
            notes got = {0};
            sim_memory_alloc(f->memory, sizeof got.how, SIM_ALLOC_USER, "x", &got.from);
            sim_memory_fill(f->memory, got.from, 0, 1, sizeof got.how);
            const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, kinds[kind].kind, 4, 1, 1);
            fixture_start(f);
            sim_access_cost c = sim_bulk_begin(f->access, 1);
            CHECK(sim_bulk_global(f->access, s, 0, got.from + rows[i].first, rows[i].n, 1, &c) !=
                  NULL);
            CHECK(sim_access_launch_words(f->launch, note, &got));
            unsigned wrong = 0;
            for (unsigned b = 0; b < sizeof got.how; b++) {
                bool in =
                    b / 4 >= rows[i].first / 4 && b / 4 <= (rows[i].first + rows[i].n - 1) / 4;
                wrong += got.how[b] != (in ? kinds[kind].how : 0);
            }
            CHECK_INT(wrong, 0);
            fixture_end(f);
            CHECK_STR(text(f), "nothing");
            fixture_free(f);
        }
}

/* A cost says where its first range begins, and stops counting at what its numbers hold. */
static void long_ranges(void) {
    static const struct {
        uint64_t n;
        unsigned lines, sectors;
    } rows[] = {{16383 * 128, 16383, 65532},      {16383 * 128 + 64, 16384, 65534},
                {16383 * 128 + 96, 16384, 65535}, {16384 * 128, 16384, 65535},
                {65534ull * 128, 65534, 65535},   {65535ull * 128, 65535, 65535},
                {65536ull * 128, 65535, 65535}};
    enum { BYTES = 65536 * 128 };
    fixture *f = fixture_new("h200");
    sim_addr x;
    sim_memory_alloc(f->memory, BYTES, SIM_ALLOC_USER, "x", &x);
    sim_memory_fill(f->memory, x, 0, 4, BYTES / 4);
    CHECK_INT(x % 128, 0);
    const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 1, 1, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_start(f);
        sim_access_cost c = sim_bulk_begin(f->access, 1), other = c;
        CHECK(sim_bulk_global(f->access, s, 0, x, 128 * 3, 16, &other) != NULL);
        CHECK(sim_bulk_global(f->access, s, 0, x, rows[i].n, 16, &c) != NULL);
        CHECK_INT(c.stream_at, 3);
        CHECK_INT(c.stream_n, (rows[i].n + 127) / 128);
        CHECK_INT(c.lines, rows[i].lines);
        CHECK_INT(c.sectors, rows[i].sectors);
        fixture_end(f);
    }
    fixture_free(f);
}

/* Where a range may lie, and what is said of one that does not. */
static void bounds(void) {
    enum { A = 4096, FREED, CONST, NOWHERE };
    static const struct {
        sim_access_kind kind;
        unsigned of, first;
        uint64_t n;
        unsigned align;
        sim_status status;
        const char *text;
    } rows[] = {
        {SIM_ACCESS_LOAD, A, 0, 4096, 16, SIM_OK, NULL},
        {SIM_ACCESS_LOAD, A, 4080, 16, 16, SIM_OK, NULL},
        {SIM_ACCESS_LOAD, A, 4080, 17, 16, SIM_ILLEGAL_ADDRESS,
         "reads 17 bytes out of bounds: byte 4,080 of a (4,096 bytes), so 1 byte of it past the "
         "end"},
        {SIM_ACCESS_STORE, A, 0, 4097, 16, SIM_ILLEGAL_ADDRESS,
         "writes 4,097 bytes out of bounds: byte 0 of a (4,096 bytes), so 1 byte of it past the "
         "end"},
        {SIM_ACCESS_LOAD, A, 4096, 16, 16, SIM_ILLEGAL_ADDRESS,
         "reads 16 bytes out of bounds: just past the end of a (4,096 bytes)"},
        {SIM_ACCESS_LOAD, A, 8, 16, 16, SIM_MISALIGNED,
         "reads 16 bytes at an address that is not a multiple of 16: byte 8 of a (4,096 bytes)"},
        {SIM_ACCESS_LOAD, A, 8, 16, 8, SIM_OK, NULL},
        {SIM_ACCESS_LOAD, A, 4104, 16, 16, SIM_MISALIGNED, "not a multiple of 16"},
        {SIM_ACCESS_LOAD, FREED, 32, 16, 16, SIM_ILLEGAL_ADDRESS,
         "reads memory that was freed: byte 32 of b (4,096 bytes)"},
        {SIM_ACCESS_ATOM, FREED, 32, 16, 16, SIM_ILLEGAL_ADDRESS, "that was freed"},
        {SIM_ACCESS_LOAD, CONST, 0, 64, 16, SIM_OK, NULL},
        {SIM_ACCESS_STORE, CONST, 0, 64, 16, SIM_ILLEGAL_ADDRESS,
         "c (64 bytes) is constant memory, which a kernel cannot write"},
        {SIM_ACCESS_ATOM, CONST, 0, 64, 16, SIM_ILLEGAL_ADDRESS, "which a kernel cannot write"},
        {SIM_ACCESS_LOAD, NOWHERE, 0, 16, 16, SIM_ILLEGAL_ADDRESS, "no allocation is near"},
        {SIM_ACCESS_LOAD, A, 16, 1ull << 40, 16, SIM_ILLEGAL_ADDRESS,
         "reads 4,294,967,295 bytes out of bounds"},
        {SIM_ACCESS_LOAD, A, 16, UINT64_MAX, 16, SIM_ILLEGAL_ADDRESS, "out of bounds"},
        {SIM_ACCESS_ATOM, A, 4080, 32, 16, SIM_ILLEGAL_ADDRESS,
         "updates atomically 32 bytes out of bounds"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_addr a, b, c;
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "a", &a);
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "b", &b);
        sim_memory_alloc(f->memory, 64, SIM_ALLOC_CONST, "c", &c);
        sim_memory_fill(f->memory, a, 0, 1, 4096);
        sim_memory_fill(f->memory, c, 0, 1, 64);
        sim_memory_release(f->memory, b);
        const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, rows[i].kind, 1, 1, 7);
        fixture_start(f);
        sim_addr at = (rows[i].of == A       ? a
                       : rows[i].of == FREED ? b
                       : rows[i].of == CONST ? c
                                             : 1ull << 60) +
                      rows[i].first;
        sim_access_cost cost = sim_bulk_begin(f->access, 1);
        const uint8_t *host = sim_bulk_global(f->access, s, 6, at, rows[i].n, rows[i].align, &cost);
        CHECK(host == (rows[i].text ? NULL : sim_memory_host(f->memory, at, 1)));
        CHECK_INT(sim_access_fault(f->access), rows[i].status);
        CHECK_INT(cost.lines != 0, !rows[i].text);
        fixture_end(f);
        CHECK_INT(f->found_count, rows[i].text != NULL);
        CHECK_CONTAINS(text(f), rows[i].text ? rows[i].text : "nothing");
        if (rows[i].text) CHECK_CONTAINS(text(f), "test.cu:7: thread 6 of block 0 of k ");
        fixture_free(f);
    }
}

/* Sixteen bytes from the range's start on of which none was written: the first such piece is told,
 * as what is left of the range where that is less. What a copy writes is written. */
static void unwritten(void) {
    static const struct {
        const char *written;          /* of each 4 bytes; what follows is not */
        unsigned first, n, at, bytes; /* 0 bytes: nothing to tell */
    } rows[] = {
        {"", 0, 64, 0, 16},           {"x", 0, 64, 16, 16},         {"x...x...x...x", 0, 64, 0, 0},
        {"x...x...x", 0, 64, 48, 16}, {"...x....x", 0, 32, 16, 16}, {"xxxx", 0, 16, 0, 0},
        {"xxxx", 0, 20, 16, 4},       {"xxxx", 0, 31, 16, 15},      {"xxxxx", 16, 32, 32, 16},
        {"x", 16, 16, 16, 16},        {".x", 4, 16, 0, 0},          {"xxxxxx", 8, 32, 24, 16},
        {"xxxx", 8, 24, 24, 8},       {"....x", 0, 32, 0, 16},      {"x..x", 4, 16, 0, 0},
        {"x...x", 4, 12, 4, 12},      {"x...x", 4, 13, 0, 0},
    };
    static const sim_access_kind kinds[] = {SIM_ACCESS_LOAD, SIM_ACCESS_STORE, SIM_ACCESS_ATOM};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned kind = 0; kind < 3; kind++) {
            fixture *f = fixture_new("h200");
            sim_addr x;
            sim_memory_alloc(f->memory, 256, SIM_ALLOC_USER, "x", &x);
            for (unsigned k = 0; rows[i].written[k]; k++)
                if (rows[i].written[k] == 'x') sim_memory_write(f->memory, x + 4 * k, "abcd", 4);
            const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, kinds[kind], 1, 1, 7),
                           *back = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 1, 1, 8);
            fixture_start(f);
            sim_access_cost cost = sim_bulk_begin(f->access, 1);
            bool tells = kinds[kind] != SIM_ACCESS_STORE && rows[i].bytes,
                 reads = kinds[kind] == SIM_ACCESS_LOAD;
            CHECK(sim_bulk_global(f->access, s, 3, x + rows[i].first, rows[i].n, 1, &cost) != NULL);
            CHECK_INT(sim_access_fault(f->access), SIM_OK); /* it goes on */
            fixture_end(f);
            char want[200] = "nothing";
            if (tells)
                snprintf(want, sizeof want,
                         "reads memory that nothing has written: byte %u of x (256 bytes)",
                         rows[i].at);
            CHECK_INT(f->found_count, tells);
            if (tells) CHECK_INT(f->found[0].bytes, rows[i].bytes);
            if (tells && !reads)
                snprintf(want, sizeof want, "nothing has written: byte %u of x", rows[i].at);
            CHECK_CONTAINS(text(f), want);
            fixture_start(f);
            cost = sim_bulk_begin(f->access, 1);
            sim_bulk_global(f->access, back, 3, x + rows[i].first, rows[i].n, 1, &cost);
            fixture_end(f);
            CHECK_INT(f->found_count, reads && tells);
            fixture_free(f);
        }
}

/* ---- shared memory ---- */

static void shared_bounds(void) {
    static const struct {
        uint32_t at;
        uint64_t n;
        unsigned align;
        sim_status status;
        const char *text;
    } rows[] = {
        {0, SHARED, 16, SIM_OK, NULL},
        {0, SHARED + 1, 16, SIM_ILLEGAL_ADDRESS,
         "writes 16,385 bytes out of bounds: byte 0 of shared memory"},
        {16, SHARED - 16, 16, SIM_OK, NULL},
        {16, SHARED - 15, 16, SIM_ILLEGAL_ADDRESS,
         "out of bounds: byte 16 of shared memory, of which the block has 16,384 bytes"},
        {SHARED - 16, 16, 16, SIM_OK, NULL},
        {SHARED, 16, 16, SIM_ILLEGAL_ADDRESS, "out of bounds: byte 16,384 of shared memory"},
        {SHARED, 0, 16, SIM_OK, NULL},
        {SHARED + 16, 0, 16, SIM_ILLEGAL_ADDRESS, "out of bounds"},
        {8, 16, 16, SIM_MISALIGNED,
         "16 bytes at an address that is not a multiple of 16: byte 8 of shared memory"},
        {8, 16, 8, SIM_OK, NULL},
        {SHARED + 8, 16, 16, SIM_MISALIGNED, "not a multiple of 16"},
        {16, 1ull << 40, 16, SIM_ILLEGAL_ADDRESS, "writes 4,294,967,295 bytes out of bounds"},
        {UINT32_MAX - 15, 16, 16, SIM_ILLEGAL_ADDRESS, "byte -16 of shared memory"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        const sim_site *s = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 7);
        fixture_start(f);
        const uint8_t *host =
            sim_bulk_shared(f->access, s, 6, rows[i].at, rows[i].n, rows[i].align);
        CHECK(host == (rows[i].text ? NULL : (uint8_t *)sim_block_shared(f->block) + rows[i].at));
        CHECK_INT(sim_access_fault(f->access), rows[i].status);
        if (host && rows[i].n) { /* written: all of it, and no more */
            uint32_t at = rows[i].at, n = (uint32_t)rows[i].n;
            CHECK(!sim_shared_blank(f->block, at, 1) && !sim_shared_blank(f->block, at + n - 1, 1));
            if (at) CHECK(sim_shared_blank(f->block, at - 4, 4));
            if (at + n < SHARED) CHECK(sim_shared_blank(f->block, at + n, 4));
        }
        fixture_end(f);
        CHECK_INT(f->found_count, rows[i].text != NULL);
        CHECK_CONTAINS(text(f), rows[i].text ? rows[i].text : "nothing");
        if (rows[i].text) CHECK_CONTAINS(text(f), "test.cu:7: thread 6 of block 0 of k writes ");
        fixture_free(f);
    }
}

/* Block 0 of three in a cluster; 1 is there, 2 has ended. */
static void shared_elsewhere(void) {
#define AT(rank, offset) ((uint32_t)(rank) << SIM_RANK_SHIFT | (offset))
    static const struct {
        uint32_t at;
        uint64_t n;
        unsigned flags;
        sim_status status;
        const char *text;
    } rows[] = {
        {AT(0, 64), 16, 0, SIM_OK, NULL},
        {AT(0, 64), 16, SIM_SITE_CLUSTER, SIM_OK, NULL},
        {AT(1, 64), 16, SIM_SITE_CLUSTER, SIM_OK, NULL},
        {AT(1, SHARED - 16), 16, SIM_SITE_CLUSTER, SIM_OK, NULL},
        {AT(1, SHARED - 16), 17, SIM_SITE_CLUSTER, SIM_ILLEGAL_ADDRESS,
         "writes 17 bytes out of bounds: byte 16,368 of the shared memory of block 1 of the "
         "cluster, of which the block has 16,384 bytes"},
        {AT(1, 0), 1ull << 32, SIM_SITE_CLUSTER, SIM_ILLEGAL_ADDRESS,
         "out of bounds: byte 0 of the shared memory of block 1"},
        {AT(1, 8), 16, SIM_SITE_CLUSTER, SIM_MISALIGNED, "not a multiple of 16"},
        {AT(2, 64), 16, SIM_SITE_CLUSTER, SIM_ILLEGAL_ADDRESS,
         "writes memory that was freed: byte 64 of the shared memory of block 2 of the cluster, "
         "which has ended"},
        {AT(3, 64), 16, SIM_SITE_CLUSTER, SIM_ILLEGAL_ADDRESS,
         "writes 16 bytes out of bounds: shared memory of block 3 of the cluster, which has only 3 "
         "blocks"},
        {AT(1, 64), 16, 0, SIM_ILLEGAL_ADDRESS,
         "byte 16,777,280 of shared memory, of which the block has 16,384 bytes"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_site *s = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 7);
        s->flags = (uint16_t)rows[i].flags;
        fixture_start(f);
        sim_cluster_mem cluster = {.size = 3, .met = true};
        sim_block_mem *other = sim_block_mem_new(f->launch);
        sim_block_join(f->block, &cluster, 0);
        sim_block_join(other, &cluster, 1);
        sim_block_begin(other, 1);
        unsigned rank = sim_shared_rank(rows[i].at);
        uint32_t offset = sim_shared_offset(rows[i].at);
        sim_block_mem *owner = rank ? other : f->block;
        CHECK_INT(sim_bulk_own(f->block, rows[i].at), rank == 0);
        CHECK_INT(sim_bulk_own(other, rows[i].at), rank == 1);
        const uint8_t *host = sim_bulk_shared(f->access, s, 6, rows[i].at, rows[i].n, 16);
        CHECK(host == (rows[i].text ? NULL : (uint8_t *)sim_block_shared(owner) + offset));
        CHECK_INT(sim_access_fault(f->access), rows[i].status);
        if (host) {
            CHECK(!sim_shared_blank(owner, offset, 4) && !sim_shared_blank(owner, offset + 12, 4));
            CHECK(sim_shared_blank(owner, offset - 4, 4));
            CHECK(sim_shared_blank(owner == other ? f->block : other, offset, 16));
        }
        sim_block_end(other);
        sim_block_mem_free(other);
        fixture_end(f);
        CHECK_CONTAINS(text(f), rows[i].text ? rows[i].text : "nothing");
        fixture_free(f);
    }
    fixture *f = fixture_new("h200"); /* without a cluster every address is its own */
    fixture_start(f);
    CHECK(sim_bulk_own(f->block, 0) && sim_bulk_own(f->block, AT(5, 0)));
    fixture_end(f);
    fixture_free(f);
}

/* ---- what the copy engine itself looks at: tensor maps, in parameters or in memory ---- */

static void objects(void) {
    static const struct {
        unsigned param, first, n, align;
        sim_status status;
        const char *text;
    } rows[] = {
        {1, 0, 128, 64, SIM_OK, NULL},
        {1, 64, 64, 64, SIM_OK, NULL},
        {1, 64, 65, 64, SIM_ILLEGAL_ADDRESS,
         "byte 64 of parameter memory, of which the kernel has 128 bytes"},
        {1, 0, 129, 64, SIM_ILLEGAL_ADDRESS,
         "reads 129 bytes out of bounds: byte 0 of parameter memory"},
        {1, 128, 1, 64, SIM_ILLEGAL_ADDRESS, "byte 128 of parameter memory"},
        {1, 32, 64, 64, SIM_MISALIGNED, "not a multiple of 64: byte 32 of parameter memory"},
        {1, 32, 64, 32, SIM_OK, NULL},
        {2, 0, 1, 64, SIM_ILLEGAL_ADDRESS, "the kernel has no parameter memory"},
        {0, 0, 256, 64, SIM_OK, NULL},
        {0, 192, 64, 64, SIM_OK, NULL},
        {0, 192, 65, 64, SIM_ILLEGAL_ADDRESS,
         "byte 192 of x (256 bytes), so 1 byte of it past the end"},
        {0, 32, 64, 64, SIM_MISALIGNED, "not a multiple of 64: byte 32 of x (256 bytes)"},
    };
    static const uint8_t params[128];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_addr x;
        sim_memory_alloc(f->memory, 256, SIM_ALLOC_USER, "x", &x);
        const sim_site *s = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 1, 1, 7);
        fixture_start(f);
        if (rows[i].param == 1) f->launch->c.params = params;
        f->launch->c.param_bytes = sizeof params;
        sim_addr at = (rows[i].param ? SIM_PARAM_WINDOW : x) + rows[i].first;
        const uint8_t *host = sim_bulk_object(f->access, s, 6, at, rows[i].n, rows[i].align),
                      *want = rows[i].param ? params + rows[i].first
                                            : sim_memory_host(f->memory, at, 1);
        CHECK(host == (rows[i].text ? NULL : want));
        CHECK_INT(sim_access_fault(f->access), rows[i].status);
        fixture_end(f);
        CHECK_CONTAINS(text(f), rows[i].text ? rows[i].text : "nothing");
        fixture_free(f);
    }
}

/* ---- what is under way ---- */

typedef enum { END, IN, OUT, COMMIT, WAIT, SEEN, LOAD, STORE, ATOM, PROXY, BARRIER, WGMMA } op;
/* IN, OUT: a copy of n bytes to or from shared memory at `at`, IN with its mbarrier at arg / 2 * 8
 * and the parity arg % 2. WAIT: for all groups of the thread but arg; SEEN: of such an arg as
 * IN. */
typedef struct {
    op op;
    unsigned thread, at, n, arg;
} step;

static void run(const step *steps, const char *want, int line, bool narrow) {
    fixture *f = fixture_new("h200");
    f->options.check_uninit = false;
    f->byte_shadow = narrow;
    sim_site *in = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 10),
             *out = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 1, 1, 20),
             *ld = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 30),
             *st = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 40),
             *atom = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 50);
    in->flags = out->flags = SIM_SITE_BULK;
    fixture_start(f);
    sim_access *a = f->access;
    uint32_t value = 1;
    for (const step *s = steps; s->op; s++) {
        unsigned lane = s->thread % 32;
        uint32_t addr[32], reg[32], me = 1u << lane, bar = 8192 + s->arg / 2 * 8;
        void *dst[1] = {reg}, *ptr[32];
        bool parity = s->arg % 2;
        for (unsigned l = 0; l < 32; l++) addr[l] = s->at, reg[l] = value++;
        sim_access_enter(a, f->block, s->thread / 32);
        switch (s->op) {
        case IN:
            sim_bulk_shared(a, in, lane, s->at, s->n, 1);
            sim_bulk_flight(a, in, lane, s->at, s->n, bar, parity);
            break;
        case OUT:
            sim_bulk_shared(a, out, lane, s->at, s->n, 1);
            sim_bulk_group_flight(a, out, lane, s->at, s->n);
            break;
        case COMMIT: sim_bulk_commit(a, me); break;
        case WAIT: sim_bulk_wait(a, me, s->arg, false); break;
        case SEEN: sim_bulk_seen(a, me, bar, parity); break;
        case LOAD: ld->load(a, ld, addr, me, dst); break;
        case STORE: st->store(a, st, addr, me, (const void *const *)dst); break;
        case ATOM: atom->ptr(a, atom, addr, me, ptr); break;
        case PROXY: sim_proxy_fence(a, true, true); break;
        case BARRIER: sim_block_barrier(f->block, NULL); break;
        case WGMMA: sim_race_async_read(a, ld, me, addr, s->n); break;
        default: break;
        }
    }
    fixture_end(f);
    char what[40];
    snprintf(what, sizeof what, "program at line %d", line);
    bool right = want ? f->found_count == 1 && strstr(text(f), want) : !f->found_count;
    check_that(right, __FILE__, __LINE__, what, text(f));
    fixture_free(f);
}
#define RUN(want, ...)                                                                             \
    for (unsigned narrow = 0; narrow < 2; narrow++)                                                \
    run((const step[]){__VA_ARGS__, {.op = END}}, want, __LINE__, narrow)

#define NOT_WAITED "the copy is under way until its mbarrier's phase has been waited for"
#define STILL_READ "the copy still reads it: cp.async.bulk.wait_group.read comes first"
#define NO_PROXY   "a fence.proxy.async is missing between the write and the copy that reads it"
#define NO_WGMMA   "a fence.proxy.async is missing between the write and the wgmma that reads it"

/* What a copy writes is there for those who have seen the end of its phase, and for those behind
 * them. */
static void copies_in(void) {
    RUN("test.cu:30: thread 1 of block 0 of k reads byte 64 of shared memory, which thread 1 "
        "writes at test.cu:10: " NOT_WAITED,
        {IN, 1, 64, 32, 0}, {LOAD, 1, 64, 0, 0});
    RUN("test.cu:40: thread 2 of block 0 of k writes byte 92 of shared memory, which thread 1 "
        "writes at test.cu:10: " NOT_WAITED,
        {IN, 1, 64, 32, 0}, {STORE, 2, 92, 0, 0});
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {ATOM, 1, 72, 0, 0});
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {BARRIER, 0, 0, 0, 0},
        {LOAD, 40, 64, 0, 0}); /* says nothing of it */
    RUN(NULL, {IN, 1, 64, 32, 0}, {LOAD, 1, 60, 0, 0}, {LOAD, 1, 96, 0, 0});
    RUN(NULL, {IN, 1, 64, 32, 0}, {STORE, 1, 60, 0, 0}, {STORE, 40, 96, 0, 0});
    RUN(NULL, {IN, 1, 64, 32, 0}, {SEEN, 1, 0, 0, 0}, {LOAD, 1, 64, 0, 0}, {STORE, 1, 92, 0, 0});
    RUN(NULL, {IN, 1, 64, 32, 3}, {SEEN, 40, 0, 0, 3},
        {LOAD, 40, 64, 0, 0}); /* who waits need not be who asked */
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {SEEN, 1, 0, 0, 1},
        {LOAD, 1, 64, 0, 0}); /* the other phase */
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {SEEN, 1, 0, 0, 2},
        {LOAD, 1, 64, 0, 0}); /* another mbarrier */
    RUN(NULL, {IN, 1, 64, 32, 0}, {SEEN, 40, 0, 0, 0}, {BARRIER, 0, 0, 0, 0}, {LOAD, 70, 64, 0, 0});
    RUN("thread 70 of block 0 of k reads byte 64 of shared memory, which thread 40 writes at "
        "test.cu:10: a __syncthreads()",
        {IN, 1, 64, 32, 0}, {SEEN, 40, 0, 0, 0}, {LOAD, 70, 64, 0, 0});
    RUN("which thread 40 of the same warp writes at test.cu:10: a __syncwarp()", {IN, 1, 64, 32, 0},
        {SEEN, 40, 0, 0, 0}, {LOAD, 41, 92, 0, 0});
    RUN(NULL, {IN, 1, 64, 32, 0}, {SEEN, 40, 0, 0, 0}, {SEEN, 70, 0, 0, 0}, {LOAD, 41, 96, 0, 0});
    /* each by its own mbarrier; both by one */
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {IN, 1, 96, 32, 2}, {SEEN, 1, 0, 0, 0}, {LOAD, 1, 64, 0, 0},
        {LOAD, 1, 96, 0, 0});
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {IN, 1, 96, 32, 2}, {SEEN, 1, 0, 0, 2}, {LOAD, 1, 96, 0, 0},
        {LOAD, 1, 64, 0, 0});
    RUN(NULL, {IN, 1, 64, 32, 2}, {IN, 1, 96, 32, 2}, {SEEN, 1, 0, 0, 2}, {LOAD, 1, 96, 0, 0},
        {LOAD, 1, 64, 0, 0});
    /* a copy meets another */
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {IN, 1, 80, 32, 0});
    RUN(NULL, {IN, 1, 64, 32, 0}, {IN, 1, 96, 32, 0}, {IN, 1, 48, 16, 0});
    RUN(NOT_WAITED, {IN, 1, 64, 32, 0}, {OUT, 1, 48, 20, 0});
    /* what threads did before it, unordered, is a race as any */
    RUN("test.cu:10: thread 40 of block 0 of k writes byte 64 of shared memory, which thread 1 "
        "reads at test.cu:30: a __syncthreads()",
        {LOAD, 1, 64, 0, 0}, {IN, 40, 64, 16, 0});
    RUN("which thread 1 writes at test.cu:40", {STORE, 1, 76, 0, 0}, {IN, 40, 64, 16, 0});
    RUN("updates atomically at test.cu:50", {LOAD, 1, 0, 0, 0}, {ATOM, 1, 64, 0, 0},
        {LOAD, 1, 4, 0, 0}, {IN, 40, 64, 16, 0});
    RUN("which thread 1 updates atomically at test.cu:50", {ATOM, 1, 64, 0, 0},
        {IN, 40, 64, 16, 0});
    RUN(NULL, {STORE, 1, 80, 0, 0}, {LOAD, 1, 60, 0, 0}, {ATOM, 1, 84, 0, 0}, {IN, 40, 64, 16, 0});
    RUN(NULL, {STORE, 1, 64, 0, 0}, {BARRIER, 0, 0, 0, 0}, {IN, 40, 64, 16, 0});
    RUN(NULL, {STORE, 40, 64, 0, 0}, {LOAD, 40, 64, 0, 0}, {IN, 40, 64, 16, 0}); /* its own */
}

/* What a copy reads may be written again when its thread has waited for the group; others may read
 * it. */
static void copies_out(void) {
    RUN("test.cu:40: thread 5 of block 0 of k writes byte 64 of shared memory, which thread 5 "
        "reads at test.cu:20: " STILL_READ,
        {OUT, 5, 64, 32, 0}, {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {STORE, 5, 92, 0, 0});
    RUN(NULL, {OUT, 5, 64, 32, 0}, {STORE, 5, 60, 0, 0}, {STORE, 5, 96, 0, 0}, {LOAD, 5, 64, 0, 0});
    RUN(NULL, {OUT, 5, 64, 32, 0}, {OUT, 5, 64, 32, 0}); /* read twice */
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {IN, 5, 64, 16, 0});
    RUN(NULL, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 0}, {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {WAIT, 5, 0, 0, 0},
        {STORE, 5, 64, 0, 0}); /* of no group yet */
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 1},
        {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {COMMIT, 6, 0, 0, 0},
        {WAIT, 6, 0, 0, 0}, {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {WAIT, 37, 0, 0, 0},
        {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 32, 0}, {COMMIT, 5, 0, 0, 0}, {SEEN, 5, 0, 0, 0},
        {STORE, 5, 64, 0, 0});
    /* two groups: the first is over when one may be left, both when none */
    RUN(NULL, {OUT, 5, 64, 16, 0}, {COMMIT, 5, 0, 0, 0}, {OUT, 5, 80, 16, 0}, {COMMIT, 5, 0, 0, 0},
        {WAIT, 5, 0, 0, 1}, {STORE, 5, 64, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 16, 0}, {COMMIT, 5, 0, 0, 0}, {OUT, 5, 80, 16, 0},
        {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 1}, {STORE, 5, 80, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 16, 0}, {COMMIT, 5, 0, 0, 0}, {OUT, 5, 80, 16, 0},
        {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 2}, {STORE, 5, 64, 0, 0});
    RUN(NULL, {OUT, 5, 64, 16, 0}, {COMMIT, 5, 0, 0, 0}, {OUT, 5, 80, 16, 0}, {COMMIT, 5, 0, 0, 0},
        {WAIT, 5, 0, 0, 0}, {STORE, 5, 80, 0, 0});
    RUN(NULL, {OUT, 5, 64, 16, 0}, {OUT, 5, 80, 16, 0}, {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 0},
        {STORE, 5, 64, 0, 0}, {STORE, 5, 80, 0, 0});
    RUN(STILL_READ, {OUT, 5, 64, 16, 0}, {COMMIT, 5, 0, 0, 0}, {WAIT, 5, 0, 0, 0},
        {OUT, 5, 64, 16, 0}, {STORE, 5, 64, 0, 0});
}

/* The copy engine, and wgmma, read what threads have written behind a fence.proxy.async; what it
 * wrote itself needs none, nor what a block before has written. */
static void proxies(void) {
    RUN("test.cu:20: thread 5 of block 0 of k reads byte 76 of shared memory, which thread 5 "
        "writes at test.cu:40: " NO_PROXY,
        {STORE, 5, 76, 0, 0}, {OUT, 5, 64, 16, 0});
    RUN(NULL, {STORE, 5, 76, 0, 0}, {PROXY, 5, 0, 0, 0}, {OUT, 5, 64, 16, 0});
    RUN(NO_PROXY, {PROXY, 5, 0, 0, 0}, {STORE, 5, 76, 0, 0}, {OUT, 5, 64, 16, 0});
    RUN(NO_PROXY, {STORE, 7, 76, 0, 0}, {BARRIER, 0, 0, 0, 0},
        {OUT, 5, 64, 16, 0}); /* a barrier is none */
    RUN(NULL, {STORE, 5, 60, 0, 0}, {STORE, 5, 80, 0, 0}, {OUT, 5, 64, 16, 0});
    RUN(NULL, {IN, 5, 64, 16, 0}, {SEEN, 5, 0, 0, 0}, {OUT, 5, 64, 16, 0});
    RUN("test.cu:30: thread 5 of block 0 of k reads byte 76 of shared memory, which thread 5 "
        "writes at test.cu:40: " NO_WGMMA,
        {STORE, 5, 76, 0, 0}, {WGMMA, 5, 64, 16, 0});
    RUN(NULL, {STORE, 5, 76, 0, 0}, {PROXY, 5, 0, 0, 0}, {WGMMA, 5, 64, 16, 0});
    RUN(NULL, {STORE, 5, 60, 0, 0}, {STORE, 5, 80, 0, 0}, {WGMMA, 5, 64, 16, 0});
    RUN(NULL, {IN, 5, 64, 16, 0}, {SEEN, 5, 0, 0, 0}, {WGMMA, 5, 64, 16, 0});
}

/* Of very many copies that nobody waits for the latest 1024 are remembered. */
static void many(void) {
    for (unsigned extra = 0; extra < 2; extra++) {
        fixture *f = fixture_new("h200");
        f->options.check_uninit = false;
        sim_site *in = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 10),
                 *ld = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 30);
        in->flags = SIM_SITE_BULK;
        fixture_start(f);
        CHECK(!sim_bulk_any_flight(f->access));
        for (uint32_t k = 0; k < 1024 + extra; k++) {
            sim_bulk_shared(f->access, in, 0, k * 8, 8, 8);
            sim_bulk_flight(f->access, in, 0, k * 8, 8, SHARED - 8, 0);
        }
        CHECK(sim_bulk_any_flight(f->access));
        CHECK_INT(f->block->race.flight_n, 1024);
        uint32_t addr[32] = {0}, reg[32];
        void *dst[1] = {reg};
        ld->load(f->access, ld, addr, 1, dst); /* of the first */
        sim_bulk_seen(f->access, 1, SHARED - 8, 0);
        CHECK(!sim_bulk_any_flight(f->access));
        fixture_end(f);
        CHECK_INT(f->found_count, !extra);
        fixture_free(f);
    }
}

/* The log of accesses since the last barrier grows in time for a copy too: however many accesses
 * come in between, it is known where the first one stands. */
static void log_grows(void) {
    for (unsigned between = RACE_LOG_LEAST - 3; between <= RACE_LOG_LEAST + 1; between++) {
        fixture *f = fixture_new("h200");
        f->options.check_uninit = false;
        sim_site *in = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 10),
                 *ld = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 30),
                 *st = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 40);
        in->flags = SIM_SITE_BULK;
        fixture_start(f);
        uint32_t addr[32] = {0}, elsewhere[32] = {64}, reg[32] = {9};
        void *dst[1] = {reg};
        st->store(f->access, st, addr, 1, (const void *const *)dst);
        for (unsigned k = 0; k < between; k++) ld->load(f->access, ld, elsewhere, 1, dst);
        sim_bulk_shared(f->access, in, 0, 128, 16, 16);
        sim_access_enter(f->access, f->block, 1);
        ld->load(f->access, ld, addr, 1, dst);
        fixture_end(f);
        CHECK_INT(f->found_count, 1);
        CHECK_INT(f->found_count ? f->found[0].other_line : 0, 40);
        fixture_free(f);
    }
}

/* ---- cp.async: 4, 8 or 16 bytes a lane, of which so many are read and the others are zero ---- */

static void small(void) {
    static const unsigned sizes[] = {4, 8, 16};
    unsigned wrong = 0;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned counted = 0; counted < 2; counted++)
            for (unsigned m = 0; m < 4; m++) {
                static const uint32_t masks[] = {~0u, 0xffff0000, 0xa5a5a5a5, 1u << 31};
                unsigned size = sizes[k];
                fixture *f = fixture_new("h200");
                sim_addr x;
                uint8_t model[1024];
                sim_memory_alloc(f->memory, 1024, SIM_ALLOC_USER, "x", &x);
                for (unsigned i = 0; i < 1024; i++) model[i] = (uint8_t)(i * 7 + 1);
                sim_memory_write(f->memory, x, model, 1024);
                const sim_site *gs = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, size / 4,
                                                  1),
                               *ss = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4,
                                                  size / 4, 1);
                fixture_start(f);
                uint8_t *s = sim_block_shared(f->block);
                memset(s, 0xee, 1024);
                uint64_t from[32];
                uint32_t to[32], n[32], reads = 0;
                for (unsigned l = 0; l < 32; l++) {
                    n[l] = counted ? (l + m) % (size + 3) : size; /* more than its size: all */
                    from[l] =
                        counted && !n[l] ? 3 : x + l * size; /* nothing is read: any address */
                    to[l] = (31 - l) * size;
                    reads += masks[m] >> l & 1 && n[l];
                }
                wrong += sim_copy_async(f->access, gs, ss, from, to, masks[m],
                                        counted ? n : NULL) != masks[m];
                CHECK_INT(sim_access_last(f->access)->lanes, reads);
                CHECK_INT(sim_access_last(f->access)->space, SIM_SPACE_GLOBAL);
                for (unsigned l = 0; l < 32; l++)
                    for (unsigned b = 0; b < size; b++)
                        wrong += s[to[l] + b] != (!(masks[m] >> l & 1) ? 0xee
                                                  : b < n[l]           ? model[l * size + b]
                                                                       : 0);
                fixture_end(f);
                CHECK_STR(text(f), "nothing");
                fixture_free(f);
            }
    CHECK_INT(wrong, 0);
    /* A lane that may not read does not write; one that may not write is left out too; if none
     * reads, the cost is that of the store. */
    fixture *f = fixture_new("h200");
    sim_addr x;
    sim_memory_alloc(f->memory, 1024, SIM_ALLOC_USER, "x", &x);
    sim_memory_fill(f->memory, x, 5, 1, 1024);
    const sim_site *gs = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1),
                   *ss = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 1);
    fixture_start(f);
    const uint8_t *s = sim_block_shared(f->block);
    uint64_t from[32];
    uint32_t to[32], n[32];
    for (unsigned l = 0; l < 32; l++) {
        from[l] = x + (l == 4 ? 1024 : l * 4), to[l] = l == 9 ? SHARED : l * 4;
        n[l] = 0;
    }
    CHECK_INT(sim_copy_async(f->access, gs, ss, from, to, 0xfff, NULL),
              0xfff & ~(1u << 4 | 1u << 9));
    for (unsigned l = 0; l < 12; l++) CHECK_INT(s[l * 4], l == 4 || l == 9 ? 0 : 5);
    sim_copy_commit(f->access, ~0u), sim_copy_wait(f->access, ~0u, 0);
    CHECK_INT(sim_copy_async(f->access, gs, ss, from, to, 0xf, n), 0xf);
    CHECK_INT(sim_access_last(f->access)->space, SIM_SPACE_SHARED);
    CHECK_INT(sim_copy_async(f->access, gs, ss, from, to, 0, n), 0);
    for (unsigned l = 0; l < 12; l++) CHECK_INT(s[l * 4], l < 4 || l == 4 || l == 9 ? 0 : 5);
    fixture_end(f);
    CHECK_INT(f->found_count, 2);
    fixture_free(f);
}

int main(void) {
    ranges();
    noted();
    long_ranges();
    bounds();
    unwritten();
    shared_bounds();
    shared_elsewhere();
    objects();
    copies_in();
    copies_out();
    proxies();
    many();
    log_grows();
    small();
    return check_done();
}
