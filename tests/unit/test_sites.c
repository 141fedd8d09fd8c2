/* Findings: which events are one site, which of them is told, and every sentence, whole. What is
 * expected follows from finding.h and the fields of sim_finding (sim.h); coordinates and distances
 * are worked out beside the rows. */
#include "check.h"
#include <stdlib.h>
#include "runner/base/message.h"
#include "tests/said.h"
#include "runner/device/sim/memory/finding.h"

/* loc 1 to 9999: that line of kernels/k.cu; from 10000 on: the line loc - 10000 of h.cuh. */
static void source(const struct ptx_module *m, uint32_t loc, uint32_t ptx_line, const char **file,
                   unsigned *line) {
    (void)m, (void)ptx_line;
    *file = !loc ? NULL : loc < 10000 ? "kernels/k.cu" : "h.cuh";
    *line = loc < 10000 ? loc : loc - 10000;
}

static sim_memory *memory;
static sim_addr a, b, gone; /* allocations: 100 bytes, "a" and without a name; 50, to be freed */
static sim_findings_config config = {
    .kernel = "k", .grid = {100, 1, 1}, .block = {256, 1, 1}, .source = source};

static sim_finding *take(const sim_event *e, size_t count, size_t *n) {
    config.memory = memory;
    sim_findings *f = sim_findings_new(&config);
    for (size_t k = 0; k < count; k++) sim_finding_report(f, &e[k]);
    sim_finding *all = sim_findings_take(f, UINT64_MAX, n);
    sim_findings_free(f);
    return all;
}

static void says(int line, const sim_event *e, const char *want) {
    size_t n;
    sim_finding *x = take(e, 1, &n);
    const char *got = n == 1 ? said(&x->said) : "no finding";
    check_that(!strcmp(got, want), __FILE__, line, want, got);
    free(x);
}
/* Details that are in no catalogue. */
#define PLAIN(text)     (&(lib_words){.args = {{.t = {{(text), (text)}}}}})
#define SAYS(want, ...) says(__LINE__, &(sim_event){__VA_ARGS__}, want)

/* The same, without what all of these sentences begin with. */
static void oob(int line, sim_event e, const char *want) {
    char text[512];
    e.kind = SIM_FIND_OOB;
    if (!e.space) e.space = "global";
    if (!e.bytes) e.bytes = 4;
    snprintf(text, sizeof text, "thread 0 of block 0 of k reads %u byte%s out of bounds: %s",
             e.bytes, e.bytes == 1 ? "" : "s", want);
    says(line, &e, text);
}
#define OOB(want, ...) oob(__LINE__, (sim_event){__VA_ARGS__}, want)

static const char *hex(const char *fmt, unsigned long long at) {
    static char text[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, fmt, at);
#pragma GCC diagnostic pop
    return text;
}

/* Where an address lies that it should not. */
static void outside(void) {
    OOB("a null pointer", .address = 0);
    OOB("address 0x1: a null pointer with an offset", .address = 1);
    OOB("address 0xfff: a null pointer with an offset", .address = 4095);
    OOB("address 0x1000: no allocation is near; is it a host pointer?", .address = 4096);
    const char *shared = "address 0x%llx: that is shared memory, not global",
               *local = "address 0x%llx: that is a local variable of a thread, not global memory",
               *nothing = "address 0x%llx: no allocation is near; is it a host pointer?";
    const struct {
        sim_addr at;
        const char *says;
    } windows[] = {{SIM_SHARED_WINDOW - 1, nothing},
                   {SIM_SHARED_WINDOW, shared},
                   {SIM_SHARED_WINDOW + SIM_WINDOW_BYTES - 1, shared},
                   {SIM_LOCAL_WINDOW, local},
                   {SIM_LOCAL_WINDOW + SIM_WINDOW_BYTES - 1, local},
                   {SIM_DEV_BASE(16), nothing},
                   {UINT64_MAX, nothing}};
    for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
        OOB(hex(windows[k].says, windows[k].at), .address = windows[k].at);
    OOB("address 0x2fff80000000: no allocation is near; has an index overflowed?",
        .address = SIM_DEV_BASE(0) - (1ull << 31));
    OOB("just past the end of a (100 bytes)", .address = a + 100);
    OOB("1 byte past the end of a (100 bytes)", .address = a + 101);
    OOB("2 bytes past the end of a (100 bytes)", .address = a + 102, .bytes = 1);
    OOB("1 byte before the start of a (100 bytes)", .address = a - 1);
    OOB("2 bytes before the start of a (100 bytes)", .address = a - 2, .space = "const");
    OOB("byte 99 of a (100 bytes), so 3 bytes of it past the end", .address = a + 99);
    OOB("byte 97 of a (100 bytes), so 1 byte of it past the end", .address = a + 97);
    OOB("a (100 bytes) is not constant memory", .address = a + 96);
    OOB(hex("just past the end of the 100-byte allocation at 0x%llx", b), .address = b + 100);
    SAYS("thread 0 of block 0 of k writes 1 byte out of bounds: a (100 bytes) is constant memory, "
         "which a kernel cannot write",
         SIM_FIND_OOB, .space = "const", .address = a, .bytes = 1, .write = true);
    SAYS("thread 0 of block 0 of k updates atomically 4 bytes out of bounds: a (100 bytes) is "
         "constant memory, which a kernel cannot write",
         SIM_FIND_OOB, .space = "const", .address = a, .bytes = 4, .atomic = true);
    for (unsigned device = 0; device < 16; device += 5) { /* the memory is device 3's */
        char text[200];
        snprintf(text, sizeof text,
                 "address 0x%llx: memory of device %u, which kernels of this device reach only "
                 "after cudaDeviceEnablePeerAccess(%u, 0)",
                 (unsigned long long)SIM_DEV_BASE(device) + 4, device, device);
        OOB(text, .address = SIM_DEV_BASE(device) + 4);
    }
    /* what was freed is nobody's; who uses it all the same is told whose it was */
    CHECK_INT(sim_memory_release(memory, gone), SIM_OK);
    OOB(hex("4 bytes before the start of the 100-byte allocation at 0x%llx", b), .address = b - 4);
    OOB(hex("%llu bytes past the end of a (100 bytes)", gone + 40 - a - 100), .address = gone + 40);
    /* and that it may be an index of a neighbour's */
    SAYS(hex("thread 0 of block 0 of k reads memory that was freed: byte 40 of gone (50 bytes); or "
             "an index is wrong: %llu bytes past the end of a (100 bytes)",
             gone + 40 - a - 100),
         SIM_FIND_USE_AFTER_FREE, .space = "global", .address = gone + 40);
    /* other spaces: the address is an offset */
    OOB("byte 48 of shared memory, of which the block has 48 bytes", .space = "shared",
        .address = 48, .space_size = 48);
    OOB("byte 9 of local memory, of which a thread has 8 bytes", .space = "local", .address = 9,
        .space_size = 8);
    OOB("byte 9 of parameter memory, of which the kernel has 8 bytes", .space = "param",
        .address = 9, .space_size = 8);
    OOB("byte 9 of constant memory, of which the kernel has 8 bytes", .space = "const",
        .address = 9, .space_size = 8);
    OOB("the kernel has no shared memory", .space = "shared");
    OOB("shared memory of block 2 of the cluster, which has only 2 blocks", .space = "shared",
        .remote = 3, .remote_of = 2, .space_size = 8);
    OOB("shared memory of block 1 of the cluster, which has only 1 block", .space = "shared",
        .remote = 2, .remote_of = 1);
    OOB("byte 50 of the shared memory of block 1 of the cluster, of which the block has 48 bytes",
        .space = "shared", .remote = 2, .remote_of = 2, .address = 50, .space_size = 48);
}

/* Who, where, and what else there is but out of bounds. */
static void sentences(void) {
    SAYS("k.cu:7: thread 5 of block 9 of k reads 8 bytes at an address that is not a multiple of "
         "8: byte 12 of a (100 bytes)",
         SIM_FIND_MISALIGNED, .loc = 7, .ptx_line = 70, .thread = 5, .block = 9, .space = "global",
         .bytes = 8, .address = a + 12);
    SAYS("PTX line 70: thread 0 of block 0 of k updates atomically 8 bytes at an address that is "
         "not a multiple of 16: byte 8 of shared memory",
         SIM_FIND_MISALIGNED, .ptx_line = 70, .space = "shared", .bytes = 8, .align = 16,
         .address = 8, .write = true, .atomic = true);
    SAYS("h.cuh:1: thread 0 of block 0 of k writes memory that was freed: byte 99 of a (100 bytes)",
         SIM_FIND_USE_AFTER_FREE, .loc = 10001, .space = "global", .bytes = 1, .address = a + 99,
         .write = true);
    SAYS(hex("thread 0 of block 0 of k reads memory that was freed: address 0x%llx", a + 100),
         SIM_FIND_USE_AFTER_FREE, .space = "global", .bytes = 1, .address = a + 100);
    SAYS("thread 0 of block 0 of k reads memory that was freed: byte 4 of the shared memory of "
         "block 1 of the cluster, which has ended",
         SIM_FIND_USE_AFTER_FREE, .space = "shared", .address = 4, .remote = 2, .remote_of = 2);
    SAYS("thread 0 of block 0 of k reads memory that nothing has written: byte 4 of the shared "
         "memory of block 0 of the cluster",
         SIM_FIND_UNINIT, .space = "shared", .address = 4, .remote = 1, .remote_of = 2);
    SAYS("thread 0 of block 0 of k reads memory that nothing has written: byte 0 of a (100 bytes)",
         SIM_FIND_UNINIT, .space = "global", .address = a);
    SAYS("thread 0 of block 0 of k gives up", SIM_FIND_TRAP, .detail = PLAIN("gives up"));
    config.source = NULL;
    SAYS("PTX line 3: thread 0 of block 0 of k x", SIM_FIND_ASSERT, .loc = 4, .ptx_line = 3,
         .detail = PLAIN("x"));
    config.source = source;
    CHECK_STR(sim_finding_name(SIM_FIND_OOB), "oob");
    CHECK_STR(sim_finding_name(SIM_FIND_UNSUPPORTED), "unsupported");
    for (unsigned k = 0; k < 3; k++) /* there are no more */
        CHECK_STR(sim_finding_name((sim_finding_kind)(SIM_FIND_COUNT + k)), "?");
}

/* As many coordinates as the launch has: 45 is 5 + 8 * (1 + 4 * 1), 23 is 2 + 3 * (3 + 4 * 1). */
static void coordinates(void) {
    static const struct {
        unsigned block[3], grid[3];
        const char *text;
    } rows[] = {{{8, 4, 2}, {3, 4, 2}, "thread (5,1,1) of block (2,3,1) of k x"},
                {{8, 8, 1}, {3, 8, 1}, "thread (5,5) of block (2,7) of k x"},
                {{64, 1, 1}, {24, 1, 1}, "thread 45 of block 23 of k x"},
                {{1, 1, 64}, {1, 24, 1}, "thread (0,0,45) of block (0,23) of k x"}};
    sim_findings_config keep = config;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        memcpy(config.block, rows[k].block, sizeof config.block);
        memcpy(config.grid, rows[k].grid, sizeof config.grid);
        SAYS(rows[k].text, SIM_FIND_ASSERT, .thread = 45, .block = 23, .detail = PLAIN("x"));
    }
    memcpy(config.block, (unsigned[3]){8, 4, 2}, sizeof config.block);
    memcpy(config.grid, (unsigned[3]){3, 4, 2}, sizeof config.grid);
    SAYS("thread (5,1,1) of block (2,3,1) of k writes byte 0 of a (100 bytes), which thread "
         "(1,2,0) of block (1,0,0) reads: nothing orders two blocks within a launch; use an "
         "atomic, or a "
         "second launch",
         SIM_FIND_RACE, .thread = 45, .block = 23, .space = "global", .address = a, .write = true,
         .has_other = true, .other_thread = 17, .other_block = 1);
    config = keep;
}

/* A race: the two sides, and what would order them. */
static void races(void) {
    SAYS("k.cu:7: thread 0 of block 0 of k reads byte 4 of shared memory, which thread 32 writes "
         "at k.cu:9: a __syncthreads() is missing between them",
         SIM_FIND_RACE, .loc = 7, .space = "shared", .address = 4, .has_other = true,
         .other_loc = 9, .other_thread = 32, .other_write = true);
    SAYS("k.cu:7: thread 0 of block 0 of k reads byte 4 of shared memory, which thread 31 of the "
         "same warp updates atomically at h.cuh:9: a __syncwarp() is missing between them",
         SIM_FIND_RACE, .loc = 7, .space = "shared", .address = 4, .has_other = true,
         .other_loc = 10009, .other_thread = 31, .other_write = true, .other_atomic = true);
    SAYS("k.cu:7: thread 40 of block 0 of k writes byte 4 of shared memory, which thread 31 writes "
         "at k.cu:7: both write it in one statement: is the index right?",
         SIM_FIND_RACE, .loc = 7, .thread = 40, .space = "shared", .address = 4, .write = true,
         .has_other = true, .other_loc = 7, .other_thread = 31, .other_write = true);
    SAYS("k.cu:7: thread 40 of block 0 of k writes byte 4 of shared memory, which thread 31 reads "
         "at k.cu:7: both in one statement: is the index right, and is there a __syncthreads() "
         "between the rounds?",
         SIM_FIND_RACE, .loc = 7, .thread = 40, .space = "shared", .address = 4, .write = true,
         .has_other = true, .other_loc = 7, .other_thread = 31);
    SAYS("k.cu:7: thread 33 of block 0 of k reads byte 4 of shared memory, which thread 63 of the "
         "same warp writes at k.cu:7: both in one statement: is the index right, and is there a "
         "__syncwarp() between the rounds?",
         SIM_FIND_RACE, .loc = 7, .thread = 33, .space = "shared", .address = 4, .has_other = true,
         .other_loc = 7, .other_thread = 63, .other_write = true);
    /* the same line of another file is another statement */
    SAYS("k.cu:7: thread 0 of block 0 of k writes byte 4 of shared memory, which thread 64 writes "
         "at h.cuh:7: a __syncthreads() is missing between them",
         SIM_FIND_RACE, .loc = 7, .space = "shared", .address = 4, .write = true, .has_other = true,
         .other_loc = 10007, .other_thread = 64, .other_write = true);
    /* without lines the instruction is the statement */
    SAYS("PTX line 5: thread 0 of block 0 of k writes byte 4 of shared memory, which thread 64 "
         "writes at PTX line 5: both write it in one statement: is the index right?",
         SIM_FIND_RACE, .ptx_line = 5, .space = "shared", .address = 4, .write = true,
         .has_other = true, .other_ptx_line = 5, .other_thread = 64, .other_write = true);
    SAYS("PTX line 5: thread 0 of block 0 of k writes byte 4 of shared memory, which thread 64 "
         "writes at PTX line 6: a __syncthreads() is missing between them",
         SIM_FIND_RACE, .ptx_line = 5, .space = "shared", .address = 4, .write = true,
         .has_other = true, .other_ptx_line = 6, .other_thread = 64, .other_write = true);
    SAYS("PTX line 5: thread 0 of block 2 of k writes address 0x1000, which thread 1 of block 3 "
         "reads: nothing orders two blocks within a launch; use an atomic, or a "
         "second launch",
         SIM_FIND_RACE, .ptx_line = 5, .block = 2, .space = "global", .address = 4096,
         .write = true, .has_other = true, .other_block = 3, .other_thread = 1);
    SAYS("PTX line 5: thread 0 of block 0 of k writes byte 4 of shared memory, which thread 64 "
         "reads: wait for it",
         SIM_FIND_RACE, .ptx_line = 5, .space = "shared", .address = 4, .write = true,
         .has_other = true, .other_thread = 64, .detail = PLAIN("wait for it"));
    /* Seen from both sides, within a warp only from the one: each is told of the other's
     * barrier. */
    sim_event both[] = {{SIM_FIND_RACE, .loc = 7, .space = "shared", .has_other = true,
                         .other_loc = 9, .other_thread = 31, .other_write = true},
                        {SIM_FIND_RACE, .loc = 9, .thread = 1, .space = "shared", .write = true,
                         .has_other = true, .other_loc = 7, .other_thread = 32},
                        {SIM_FIND_RACE, .loc = 7, .thread = 2, .space = "shared", .write = true,
                         .has_other = true, .other_loc = 8, .other_thread = 3}};
    static const bool across[] = {true, true, false};
    static const char *const missing[] = {"a __syncwarp() is not enough",
                                          "a __syncthreads() is missing",
                                          "a __syncwarp() is missing"};
    size_t n;
    sim_finding *x = take(both, 3, &n);
    CHECK_INT(n, 3);
    for (size_t k = 0; k < n && k < 3; k++) {
        CHECK_INT(x[k].across, across[k]);
        CHECK_CONTAINS(said(&x[k].said), missing[k]);
    }
    free(x);
    /* ... in whatever order they were found */
    for (unsigned turn = 0; turn < 3; turn++) {
        sim_event turned[] = {both[(turn + 2) % 3], both[(turn + 1) % 3], both[turn]};
        x = take(turned, 3, &n);
        for (size_t k = 0; k < n && k < 3; k++) CHECK_INT(x[k].across, across[k]);
        free(x);
    }
    /* One site: across if any of its pairs is of two warps, or of two blocks. */
    sim_event pairs[3] = {[0 ... 2] = {SIM_FIND_RACE, .loc = 7, .space = "shared",
                                       .has_other = true, .other_loc = 9, .other_thread = 31}};
    for (unsigned k = 0; k < 3; k++) {
        pairs[1].other_thread = k == 1 ? 32 : 31;
        pairs[2].other_block = k == 2;
        x = take(pairs, 3, &n);
        CHECK(n == 1 && x->across == (k > 0) && x->count == 3);
        free(x);
    }
}

/* Two events, one site or two. */
static void sites(void) {
#define LINE  .loc = 7, .ptx_line = 70
#define OTHER .has_other = true, .other_loc = 9, .other_ptx_line = 90
    static const struct {
        sim_event x, y;
        unsigned sites;
    } rows[] = {
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_OOB, LINE, .thread = 3, .address = 8}, 1},
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_OOB, .loc = 7, .ptx_line = 71}, 1},
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_OOB, .loc = 8, .ptx_line = 70}, 2},
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_OOB, .loc = 10007, .ptx_line = 70}, 2},
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_MISALIGNED, LINE}, 2},
        {{SIM_FIND_OOB, LINE}, {SIM_FIND_OOB, LINE, .write = true}, 2},
        {{SIM_FIND_OOB, .ptx_line = 7}, {SIM_FIND_OOB, .ptx_line = 7}, 1},
        {{SIM_FIND_OOB, .ptx_line = 7}, {SIM_FIND_OOB, .ptx_line = 8}, 2},
        {{SIM_FIND_OOB, .ptx_line = 7}, {SIM_FIND_OOB, LINE}, 2},
        {{SIM_FIND_RACE, LINE, OTHER}, {SIM_FIND_RACE, LINE, OTHER, .other_thread = 5}, 1},
        {{SIM_FIND_RACE, LINE, OTHER}, {SIM_FIND_RACE, LINE, OTHER, .other_write = true}, 2},
        {{SIM_FIND_RACE, LINE, OTHER, .other_write = true}, {SIM_FIND_RACE, LINE, OTHER}, 2},
        {{SIM_FIND_RACE, LINE, OTHER},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_loc = 9, .other_ptx_line = 91},
         1},
        {{SIM_FIND_RACE, LINE, OTHER},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_loc = 8, .other_ptx_line = 90},
         2},
        {{SIM_FIND_RACE, LINE, OTHER},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_loc = 10, .other_ptx_line = 90},
         2},
        {{SIM_FIND_RACE, LINE, OTHER},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_loc = 10009, .other_ptx_line = 90},
         2},
        {{SIM_FIND_RACE, LINE, .has_other = true, .other_ptx_line = 90},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_ptx_line = 90},
         1},
        {{SIM_FIND_RACE, LINE, .has_other = true, .other_ptx_line = 90},
         {SIM_FIND_RACE, LINE, .has_other = true, .other_ptx_line = 91},
         2},
        /* who waits at a barrier with nobody at another is at the site that he is at */
        {{SIM_FIND_BARRIER, LINE, OTHER}, {SIM_FIND_BARRIER, LINE}, 1},
        {{SIM_FIND_BARRIER, LINE, OTHER, .other_write = true}, {SIM_FIND_BARRIER, LINE}, 1}};
    for (size_t k = 0; k < 2 * (sizeof rows / sizeof *rows); k++) {
        bool turned = k % 2; /* an event without another side was there first */
        sim_event two[] = {rows[k / 2].x, rows[k / 2].y};
        if (turned && two[1].has_other != two[0].has_other) continue;
        if (turned) two[0] = rows[k / 2].y, two[1] = rows[k / 2].x;
        size_t n;
        char row[40];
        sim_finding *x = take(two, 2, &n);
        snprintf(row, sizeof row, "sites of row %zu", k / 2);
        check_that(n == rows[k / 2].sites, __FILE__, __LINE__, row, "one where two are, or two");
        if (n) CHECK_INT(x[0].count, 3 - n);
        free(x);
    }
}

/* Of a site the event in the lowest block is told, in a block the first. */
static void told(void) {
    sim_event e[] = {{SIM_FIND_OOB, LINE, .block = 5, .thread = 9, .count = 10},
                     {SIM_FIND_OOB, LINE, .block = 5, .thread = 1, .detail = PLAIN("no")},
                     {SIM_FIND_OOB, LINE, .block = 4, .thread = 30, .space = "global", .bytes = 2,
                      .address = a + 1},
                     {SIM_FIND_OOB, LINE, .block = 4, .thread = 2},
                     {SIM_FIND_OOB, LINE, .block = 6, .thread = 0}};
    size_t n;
    sim_finding *x = take(e, 5, &n);
    CHECK_INT(n, 1);
    CHECK(x && x->kind == SIM_FIND_OOB && x->block[0] == 4 && x->thread[0] == 30);
    CHECK(x && x->count == 14 && x->line == 7 && !strcmp(x->file, "kernels/k.cu"));
    CHECK(x && !strcmp(x->kernel, "k") && !strcmp(x->space, "global") && !x->write);
    CHECK(x && x->bytes == 2 && x->address == a + 1 && x->alloc_base == a);
    CHECK(x && x->alloc_size == 100 && !strcmp(x->alloc_name, "a") && !strcmp(x->other_file, ""));
    CHECK(x && !x->other_line && !x->other_write && !x->across && !x->other_thread[0]);
    free(x);
    sim_event race = {SIM_FIND_RACE, .ptx_line = 3,      .space = "shared",   .atomic = true,
                      OTHER,         .other_thread = 77, .other_atomic = true};
    x = take(&race, 1, &n);
    CHECK(x && x->write && x->other_write && x->across && x->other_thread[0] == 77);
    CHECK(x && x->other_line == 9 && !strcmp(x->other_file, "kernels/k.cu"));
    CHECK(x && !x->line && !strcmp(x->file, "") && !x->alloc_base && !strcmp(x->alloc_name, ""));
    free(x);
    race.other_atomic = false;
    x = take(&race, 1, &n);
    CHECK(x && !x->other_write);
    free(x);
    race.atomic = false, race.write = race.other_write = true;
    x = take(&race, 1, &n);
    CHECK(x && x->write && x->other_write);
    free(x);
    /* each has its own allocation's name */
    sim_event two[] = {{SIM_FIND_OOB, .ptx_line = 1, .space = "global", .address = a},
                       {SIM_FIND_UNINIT, .ptx_line = 2, .space = "global", .address = b},
                       {SIM_FIND_UNINIT, .ptx_line = 3, .space = "const", .address = a + 9}};
    x = take(two, 3, &n);
    CHECK(n == 3 && !strcmp(x[0].alloc_name, "a") && !strcmp(x[1].alloc_name, "") &&
          !strcmp(x[2].alloc_name, "a") && x[1].alloc_base == b);
    free(x);
    /* a budget that ran out did so on every core */
    sim_event budget = {SIM_FIND_BUDGET, LINE, .count = 132};
    x = take(&budget, 1, &n);
    CHECK(x && n == 1 && x->count == 1 && x->alloc_base == 0);
    free(x);
}

/* Taken in the midst of a launch: what comes behind that is a site of its own, of which there is
 * one. */
static void taken_twice(void) {
    sim_event e[3] = {{SIM_FIND_OOB, .ptx_line = 3, .thread = 9},
                      {SIM_FIND_OOB, .ptx_line = 4, .thread = 8},
                      {SIM_FIND_OOB, .ptx_line = 5, .thread = 7}};
    sim_findings *f = sim_findings_new(&config);
    size_t n;
    for (unsigned k = 0; k < 2; k++) sim_finding_report(f, &e[k]);
    sim_finding *x = sim_findings_take(f, UINT64_MAX, &n);
    CHECK(n == 2 && x[0].thread[0] == 8 && x[1].thread[0] == 9);
    free(x);
    for (unsigned k = 0; k < 6; k++) sim_finding_report(f, &e[1 + k % 2]);
    x = sim_findings_take(f, UINT64_MAX, &n);
    CHECK(n == 4 && sim_findings_count(f) == 4);
    static const unsigned thread[] = {7, 8, 8, 9}, count[] = {3, 1 + 3, 1 + 3, 1};
    for (size_t k = 0; k < n && k < 4; k++) CHECK_INT(x[k].thread[0], thread[k]);
    for (size_t k = 0; k < n && k < 4; k += 3) CHECK_INT(x[k].count, count[k]);
    if (n == 4) CHECK_INT(x[1].count + x[2].count, count[1]);
    free(x);
    sim_findings_free(f);
}

/* They come in the order of blocks, threads, lines of the PTX, kinds, whatever the order of the
 * reports. */
static void order(void) {
    static const sim_event want[] = {{SIM_FIND_OOB, .block = 1, .thread = 9, .ptx_line = 9},
                                     {SIM_FIND_OOB, .block = 2, .thread = 3, .ptx_line = 8},
                                     {SIM_FIND_UNINIT, .block = 2, .thread = 4, .ptx_line = 5},
                                     {SIM_FIND_OOB, .block = 2, .thread = 4, .ptx_line = 6},
                                     {SIM_FIND_OOB, .block = 2, .thread = 4, .ptx_line = 7},
                                     {SIM_FIND_MISALIGNED, .block = 2, .thread = 4, .ptx_line = 7},
                                     {SIM_FIND_OOB, .block = 300, .thread = 0, .ptx_line = 1}};
    enum { N = sizeof want / sizeof *want };
    for (unsigned turn = 0; turn < 2 * N; turn++) {
        sim_event e[N];
        for (unsigned k = 0; k < N; k++)
            e[k] = want[turn < N ? (k + turn) % N : (2 * N + turn - k) % N];
        size_t n;
        unsigned wrong = 0;
        sim_finding *x = take(e, N, &n);
        CHECK_INT(n, N);
        for (unsigned k = 0; k < n && k < N; k++)
            wrong += x[k].kind != want[k].kind || x[k].block[0] != want[k].block % 100 ||
                     x[k].thread[0] != want[k].thread;
        CHECK_INT(wrong, 0);
        free(x);
    }
}

/* More than there is room for at first, each with words of its own, and more than are kept. */
static void many(void) {
    static const unsigned counts[] = {0, 1, 16, 17, 100, 999, 1000, 1001, 1500};
    for (size_t k = 0; k < 4 * (sizeof counts / sizeof *counts); k++) {
        config.memory = memory;
        sim_findings *f = sim_findings_new(&config);
        bool lines = k & 1, falling = k & 2; /* lines of the source, or of the PTX */
        unsigned count = counts[k / 4], kept = count < 1000 ? count : 1000, wrong = 0;
        for (unsigned turn = 0; turn < 2; turn++)
            for (unsigned i = 0; i < count; i++) {
                char words[20];
                snprintf(words, sizeof words, "words %u", i);
                unsigned line = falling ? 2000 - i : 1 + i;
                sim_finding_report(f, &(sim_event){SIM_FIND_TRAP, .ptx_line = line, .thread = i,
                                                   .loc = lines ? line : 0, .detail = PLAIN(words),
                                                   .address = a});
            }
        CHECK_INT(sim_findings_count(f), kept);
        size_t n;
        sim_finding *x = sim_findings_take(f, UINT64_MAX, &n);
        CHECK_INT(n, kept);
        CHECK(!x == !kept);
        for (unsigned i = 0; x && i < n; i++) {
            char text[80];
            snprintf(text, sizeof text, "%s%u: thread %u of block 0 of k words %u",
                     lines ? "k.cu:" : "PTX line ", falling ? 2000 - i : 1 + i, i % 256, i);
            wrong +=
                strcmp(said(&x[i].said), text) != 0 || x[i].count != 2 || x[i].thread[2] != i / 256;
        }
        CHECK_INT(wrong, 0);
        free(x);
        sim_findings_free(f);
    }
    /* without a memory there is no allocation to name, and a space need not be said */
    sim_memory *all = memory;
    memory = NULL;
    SAYS(hex("thread 0 of block 0 of k reads 0 bytes out of bounds: address 0x%llx: no allocation "
             "is near; has an index overflowed?",
             a + 101),
         SIM_FIND_OOB, .space = "global", .address = a + 101);
    memory = all;
    SAYS("thread 0 of block 0 of k reads 4 bytes out of bounds: byte -4 of local memory, of which "
         "a thread has 16 bytes",
         SIM_FIND_OOB, .space = "local", .space_size = 16, .address = 4294967292, .bytes = 4);
    sim_finding_report(NULL, &(sim_event){.kind = SIM_FIND_TRAP});
    sim_findings_free(NULL);
    size_t n = 1;
    CHECK(!sim_findings_take(NULL, 0, &n) && n == 0);
}

/* What blocks above the one that ended the launch reported does not count, in whatever order they
 * did: blocks 0 to n - 1 report a site so many times as their number and one, only the odd ones
 * another. */
static void blocks_that_count(void) {
    static const struct {
        uint64_t n, step, last;
    } rows[] = {{1, 1, 0},     {8, 3, 4},       {8, 5, 0},       {600, 7, 599},
                {600, 1, 580}, {4000, 1, 3990}, {4000, 1, 3999}, {2000, 1, UINT64_MAX}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_findings *f = sim_findings_new(&config);
        uint64_t counts[2] = {0};
        for (uint64_t i = 0; i < rows[k].n; i++) {
            uint64_t block = i * rows[k].step % rows[k].n;
            for (unsigned site = 0; site <= block % 2; site++) {
                sim_finding_report(f, &(sim_event){SIM_FIND_TRAP, .ptx_line = 1 + site,
                                                   .block = block, .count = block + 1});
                if (block <= rows[k].last) counts[site] += block + 1;
            }
        }
        size_t n;
        sim_finding *x = sim_findings_take(f, rows[k].last, &n);
        CHECK_INT(n, counts[1] ? 2 : 1);
        for (unsigned site = 0; x && site < n; site++) CHECK_INT(x[site].count, counts[site]);
        free(x);
        CHECK_INT(sim_findings_count(f), n);
        sim_findings_free(f);
    }
}

int main(void) {
    lib_message msg;
    memory = sim_memory_new(1 << 20, 3, true, &msg);
    if (!CHECK(memory != NULL)) return check_done();
    sim_addr far; /* nothing else is as near to the two as they are themselves */
    sim_memory_alloc(memory, 8192, SIM_ALLOC_USER, "far", &far);
    sim_memory_alloc(memory, 100, SIM_ALLOC_USER, "a", &a);
    sim_memory_alloc(memory, 50, SIM_ALLOC_USER, "gone", &gone);
    sim_memory_alloc(memory, 8192, SIM_ALLOC_USER, "far", &far);
    sim_memory_alloc(memory, 100, SIM_ALLOC_USER, NULL, &b);
    outside();
    sentences();
    coordinates();
    races();
    sites();
    told();
    taken_twice();
    order();
    many();
    blocks_that_count();
    sim_memory_free(memory);
    return check_done();
}
