/* Work on a backend that only writes down what it is asked: grids that grids ask for, in which
 * order and when; copies and fills piece by piece; what errors become; and replays. Expected: CUDA
 * C++ Programming Guide, "CUDA Dynamic Parallelism" (one stream is in order, fire-and-forget grids
 * wait for nobody, the tail stream for all), core/stream.h and core/log.h; times by hand from a
 * profile of round numbers. */
#include "runner/device/server/core/client.h"
#include "runner/base/message.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/residency.h"
#include "runner/device/server/work/children.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"
#include "tests/said.h"

#include <stdlib.h>

/* ---- the backend: two devices of a few bytes, kernels that do what a struct says */

enum { MEMORY = 512, AT = 0x10000, FAR = 0x20000, HOST = 0x30000 };
static uint8_t memory[2][MEMORY], host[MEMORY];
static unsigned accesses, poisoned;
static double measured;    /* what a copy or fill says that it took */
static sim_status says;    /* what it answers in any case */
enum { BIG = 0x40000000 }; /* from here on nothing is there, but all of it may be named */
static uint64_t big[4][3]; /* the first accesses there: to, from, bytes */

typedef struct script {
    sim_kernel_info info;
    double us;
    sim_status status;
    const sim_child *children;
    size_t count;
    bool stops;     /* the client is stopped meanwhile */
    uint64_t touch; /* managed memory that it reads */
    sim_counters counters;
    unsigned runs;
    sim_launch last;
} script;

static dev_session session;
static dev_client c;
static dev_stream stream;

static uint8_t *bytes_at(void *hw, sim_addr a, uint64_t n) {
    const struct {
        uint64_t base;
        uint8_t *at;
    } rows[] = {{hw == memory[0] ? AT : FAR, hw}, {HOST, host}};
    for (unsigned i = 0; i < 2; i++)
        if (a >= rows[i].base && a - rows[i].base < MEMORY && n <= MEMORY - (a - rows[i].base))
            return rows[i].at + (a - rows[i].base);
    return NULL;
}
static sim_status fake_write(void *hw, sim_addr to, const void *from, uint64_t n) {
    uint8_t *p = bytes_at(hw, to, n);
    accesses++;
    if (p) memcpy(p, from, n);
    return p ? SIM_OK : SIM_BAD_ADDRESS;
}
static sim_status fake_read(void *hw, void *to, sim_addr from, uint64_t n) {
    const uint8_t *p = bytes_at(hw, from, n);
    accesses++;
    if (p) memcpy(to, p, n);
    return p ? SIM_OK : SIM_BAD_ADDRESS;
}
static sim_status fake_copy(void *hw, sim_addr to, sim_addr from, uint64_t n, double *us) {
    uint8_t *p = bytes_at(hw, to, n), *q = bytes_at(hw, from, n);
    *us += measured;
    if (to >= BIG && accesses < 4) {
        big[accesses][0] = to, big[accesses][1] = from, big[accesses++][2] = n;
        return SIM_OK;
    }
    accesses++;
    if (p && q) memmove(p, q, n);
    return p && q ? SIM_OK : SIM_BAD_ADDRESS;
}
static sim_status fake_fill(void *hw, sim_addr to, uint32_t value, unsigned width, uint64_t n,
                            double *us) {
    uint8_t *p = bytes_at(hw, to, n * width);
    *us += measured;
    if (says) return says;
    if (to >= BIG && accesses < 4) {
        big[accesses][0] = to, big[accesses][1] = value, big[accesses++][2] = n;
        return SIM_OK;
    }
    accesses++;
    for (uint64_t i = 0; p && i < n; i++) memcpy(p + i * width, &value, width);
    return p ? SIM_OK : SIM_BAD_ADDRESS;
}
static sim_status fake_poison(void *hw, sim_addr to, uint64_t n) {
    poisoned += bytes_at(hw, to, n) ? (unsigned)n : 1000000;
    return SIM_OK;
}
static const sim_kernel_info *fake_info(const void *kernel) {
    return &((const script *)kernel)->info;
}
static sim_status fake_run(void *hw, void *kernel, const sim_launch *l, sim_result *r,
                           lib_message *msg) {
    script *k = kernel;
    (void)hw;
    k->runs++, k->last = *l;
    r->time_us = k->us;
    r->occupancy.blocks = 1;
    r->executed = 3;
    r->counters = k->counters;
    r->children = calloc(k->count ? k->count : 1, sizeof *r->children), r->child_count = k->count;
    for (size_t i = 0; i < k->count; i++) {
        r->children[i] = k->children[i];
        r->children[i].params = malloc(8), r->children[i].param_bytes = 8;
        memset(r->children[i].params, 0x5a, 8);
    }
    if (k->stops) c.limits.stop = 1;
    if (k->touch) l->touch(l->touch_user, k->touch, 0xf, false);
    if (k->status == SIM_UNSUPPORTED) tell(msg, "says why", NULL);
    return k->status;
}

static const dev_backend backend = {.write = fake_write,
                                    .read = fake_read,
                                    .copy = fake_copy,
                                    .fill = fake_fill,
                                    .poison = fake_poison,
                                    .kernel_info = fake_info,
                                    .run = fake_run};
/* 0.8 MB a microsecond; a launch begins 1 us behind what it waits for */
static sim_profile profile = {.concurrent_grids = 128,
                              .sms = 1000,
                              .max_threads_block = 1024,
                              .dram_gbs = 1000,
                              .dram_efficiency = 0.8,
                              .l2_gbs = 2000,
                              .kernel_us = 2,
                              .launch_gap_us = 1,
                              .memcpy_us = 7,
                              .memcpy_pageable_us = 11,
                              .h2d_pinned_gbs = 40,
                              .d2h_pinned_gbs = 50,
                              .peer_gbs = 200};

static void client_drop(void) {
    dev_replay_free(&c);
    dev_log_free(&c);
    dev_concurrent_free(&c);
    dev_held_free(&c);
    for (unsigned d = 0; d < 2; d++) free(c.times.engine[d].levels);
    for (size_t i = 0; i < c.code.kernel_count; i++) free(c.code.kernels[i]);
    for (size_t i = 0; i < c.objects.string_room; i++)
        free((void *)(uintptr_t)c.objects.strings[i]);
    free(c.objects.strings), free(c.memory.ranges), free(c.times.clock), free(c.times.began),
        free(c.objects.slot), free(c.code.kernels);
}
static void client_new(void) {
    client_drop();
    memset(&c, 0, sizeof c);
    session = (dev_session){.count = 2, .total = (uint64_t)1 << 40};
    session.opt.launch_limit = 1000, session.opt.print_limit = 1000;
    for (unsigned d = 0; d < 2; d++)
        session.device[d] = (dev_device){.backend = &backend, .hw = memory[d], .profile = &profile};
    c.s = &session;
    c.budget.limit = (uint64_t)1 << 40;
    stream = (dev_stream){.id = 5, .handle = 77};
    c.streams.first = &stream;
    c.context[0].limit[cudaLimitDevRuntimePendingLaunchCount] = 2048;
}

static dev_work launch_of(script *k) {
    dev_work w = {.kind = DEV_WORK_LAUNCH, .bytes = sizeof w};
    w.launch.kernel = dev_kernel_of(&c, NULL, 0, k, &k->info);
    w.launch.at = (wire_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}};
    return w;
}
/* Runs k from 100 us on; when all of it is done. */
static double run(script *k) {
    dev_work w = launch_of(k);
    double end = 0;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaSuccess);
    return end;
}

/* ---- grids that grids ask for */

typedef struct {
    const char *what; /* the kernel, or NULL: a fill, "copy" */
    double start, end;
} want_record;
static void check_records(const want_record *want, size_t n) {
    const dev_record *r;
    CHECK_INT(dev_client_log(&c, &r), n);
    for (size_t i = 0; i < n && i < c.log.count; i++) {
        CHECK_NEAR(r[i].start_us, want[i].start, 1e-9);
        CHECK_NEAR(r[i].end_us, want[i].end, 1e-9);
        CHECK_STR(r[i].kernel, want[i].what ? want[i].what : "");
        CHECK(r[i].op == (want[i].what ? DEV_OP_LAUNCH : DEV_OP_MEMSET) && r[i].stream == 5);
    }
}
#define RECORDS(...)                                                                               \
    check_records((const want_record[]){__VA_ARGS__},                                              \
                  sizeof((const want_record[]){__VA_ARGS__}) / sizeof(want_record))

static script a = {.info = {.name = "a", .pretty = "a"}, .us = 5};
static sim_child grid(script *k, sim_child_when when, uint64_t line) {
    return (sim_child){.kind = SIM_CHILD_LAUNCH,
                       .when = when,
                       .line = line,
                       .kernel = (sim_kernel *)k,
                       .grid = {1, 2, 3},
                       .block = {4, 5, 6},
                       .dynamic_shared = 7};
}

static void test_order(void) {
    const sim_child all[] = {
        grid(&a, SIM_CHILD_IN_LINE, 1),
        grid(&a, SIM_CHILD_BEHIND, 0),
        grid(&a, SIM_CHILD_IN_LINE, 1),
        grid(&a, SIM_CHILD_IN_LINE, 2),
        grid(&a, SIM_CHILD_AT_ONCE, 0),
        grid(&a, SIM_CHILD_BEHIND, 0),
        {.kind = SIM_CHILD_FILL, .when = SIM_CHILD_IN_LINE, .line = 2, .to = AT, .bytes = 400},
    };
    script root = {.info = {.name = "r", .pretty = "root"}, .us = 10, .children = all, .count = 7};
    client_new();
    double fill = 2 + 400 / 8e5;
    CHECK_NEAR(run(&root), 135, 1e-9);
    RECORDS({"root", 101, 111}, {"a", 112, 117}, {"a", 118, 123}, {"a", 112, 117}, {"a", 112, 117},
            {NULL, 117, 117 + fill}, {"a", 124, 129}, {"a", 130, 135});
    const dev_record *r;
    dev_client_log(&c, &r);
    static const unsigned grid_of[] = {1, 2, 3}, block_of[] = {4, 5, 6};
    CHECK(!memcmp(r[1].grid, grid_of, sizeof grid_of) &&
          !memcmp(r[1].block, block_of, sizeof block_of) && r[1].dynamic_shared == 7);
    CHECK_INT(a.last.param_bytes, 8);
    CHECK_INT(a.last.most_children, 2048);
    CHECK_INT(r[5].bytes, 400);
    /* the launch's price, that of each of them, and three instructions a grid */
    CHECK_INT(dev_client_work(&c), 8 * 8192 + 7 * 3);
    CHECK_INT(c.budget.held, 2 * 288); /* two kernels; nothing of the grids */
    c.context[0].limit[cudaLimitDevRuntimePendingLaunchCount] = 1 << 20;
    run(&root);
    CHECK_INT(root.last.most_children, 1 << 16);
}

/* A grid is done when all that it asked for is. */
static void test_nested(void) {
    const sim_child two[] = {grid(&a, SIM_CHILD_BEHIND, 0), grid(&a, SIM_CHILD_IN_LINE, 1)};
    script b = {.info = {.name = "b", .pretty = "b"}, .us = 2, .children = two, .count = 2};
    const sim_child all[] = {grid(&b, SIM_CHILD_IN_LINE, 1), grid(&a, SIM_CHILD_IN_LINE, 1),
                             grid(&b, SIM_CHILD_BEHIND, 1)};
    script root = {.info = {.name = "r", .pretty = "root"}, .us = 10, .children = all, .count = 3};
    client_new();
    CHECK_NEAR(run(&root), 147, 1e-9);
    RECORDS({"root", 101, 111}, {"b", 112, 114}, {"a", 115, 120}, {"a", 121, 126}, {"a", 127, 132},
            {"b", 133, 135}, {"a", 136, 141}, {"a", 142, 147});
    CHECK_NEAR(c.times.latest, 147, 1e-9);
}

/* Many lines: each in order, all side by side. */
static void test_lines(void) {
    enum { LINES = 60 };
    sim_child all[2 * LINES];
    uint64_t line = 88172645463325252u; /* any: some of them meet in the table */
    for (unsigned i = 0; i < LINES; i++) {
        line ^= line << 13, line ^= line >> 7, line ^= line << 17;
        all[i] = all[LINES + i] = grid(&a, SIM_CHILD_IN_LINE, i % 4 ? line : i);
    }
    script root = {
        .info = {.name = "r", .pretty = "root"}, .us = 10, .children = all, .count = 2 * LINES};
    const dev_record *r;
    unsigned wrong = 0;
    client_new();
    CHECK_NEAR(run(&root), 123, 1e-9);
    CHECK_INT(dev_client_log(&c, &r), 1 + 2 * LINES);
    for (unsigned i = 0; i < 2 * LINES; i++)
        wrong += fabs(r[i + 1].start_us - (i < LINES ? 112 : 118)) > 1e-9;
    CHECK_INT(wrong, 0);
}

/* A chain without an end is ended. */
static void test_chain(void) {
    sim_child again;
    script root = {
        .info = {.name = "r", .pretty = "root"}, .us = 1, .children = &again, .count = 1};
    const sim_finding *f;
    again = grid(&root, SIM_CHILD_IN_LINE, 1);
    client_new();
    session.opt.launch_limit = 10;
    run(&root);
    CHECK_INT(root.runs, 1 + (1 << 18));
    CHECK_INT(c.context[0].fault, cudaErrorLaunchTimeout);
    CHECK_INT(dev_client_findings(&c, &f), 1);
    CHECK(f->kind == SIM_FIND_BUDGET && f->count == 1);
    CHECK_STR(said(&f->said),
              "kernels have launched more than 262,144 grids behind one launch of the "
              "host: does the chain of launches end?");
    CHECK_INT(c.budget.held, 288);
    run(&root); /* nothing runs in a broken context */
    CHECK_INT(root.runs, 1 + (1 << 18));
}

/* What they ask for counts while it is there: places in a table and parameters. */
static void test_room(void) {
    const sim_child all[] = {grid(&a, SIM_CHILD_IN_LINE, 1), grid(&a, SIM_CHILD_IN_LINE, 1)};
    script root = {.info = {.name = "r", .pretty = "root"}, .us = 1, .children = all, .count = 2};
    const uint64_t bytes = 2 * (sizeof(sim_child) + 4 * 16 + 8);
    for (unsigned less = 0; less < 2; less++) {
        client_new();
        launch_of(&root), launch_of(&a);
        c.budget.limit = 2 * 288 + bytes - less;
        a.runs = 0;
        run(&root);
        CHECK_INT(a.runs, less ? 0 : 2);
        CHECK_INT(c.context[0].fault, less ? cudaErrorMemoryAllocation : cudaSuccess);
        CHECK_INT(c.budget.held, 2 * 288);
    }
}

/* ---- what goes wrong */

static void test_faults(void) {
    static const struct {
        sim_status status;
        cudaError_t heard, fault; /* of the call; of the device */
    } rows[] = {{SIM_OK, 0, 0},
                {SIM_BAD_LAUNCH, cudaErrorInvalidConfiguration, 0},
                {SIM_TOO_MANY_RESOURCES, cudaErrorLaunchOutOfResources, 0},
                {SIM_BAD_ARGUMENT, cudaErrorInvalidValue, 0},
                {SIM_BAD_CLUSTER, cudaErrorInvalidClusterSize, 0},
                {SIM_ILLEGAL_ADDRESS, 0, cudaErrorIllegalAddress},
                {SIM_TRAP, 0, cudaErrorLaunchFailure},
                {SIM_ASSERT, 0, cudaErrorAssert},
                {SIM_UNSUPPORTED, 0, cudaErrorNotSupported}};
    const dev_record *r;
    const lib_message *const *lines;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        script k = {.info = {.name = "k", .pretty = "k"}, .us = 1, .status = rows[i].status};
        bool no = rows[i].status == SIM_UNSUPPORTED;
        double end;
        client_new();
        dev_work w = launch_of(&k);
        CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), rows[i].heard);
        CHECK_INT(c.context[0].fault, rows[i].fault);
        CHECK_INT(dev_client_log(&c, &r), 1);
        CHECK(r->status == rows[i].status && r->result->status == rows[i].status);
        CHECK_INT(dev_client_unsupported(&c, &lines), no);
        if (no) CHECK_STR(said(lines[0]), "k: says why");
        /* of a grid that a grid asked for nobody hears: the context is broken */
        const sim_child all[] = {grid(&k, SIM_CHILD_IN_LINE, 1), grid(&a, SIM_CHILD_IN_LINE, 1)};
        script root = {
            .info = {.name = "r", .pretty = "root"}, .us = 1, .children = all, .count = 2};
        client_new();
        a.runs = 0;
        run(&root);
        CHECK_INT(c.context[0].fault, rows[i].heard ? rows[i].heard : rows[i].fault);
        CHECK_INT(a.runs, rows[i].status == SIM_OK);
        CHECK_INT(dev_client_unsupported(&c, &lines), no || rows[i].heard);
        if (rows[i].heard)
            CHECK_STR(said(lines[0]), "k: a kernel launches it with an invalid configuration");
    }
    /* A fault stays what it was first. */
    script k = {.info = {.name = "k", .pretty = "k"}, .us = 1, .status = SIM_TRAP};
    double end;
    dev_asked asked = {0};
    client_new();
    dev_work w = launch_of(&k);
    c.context[0].fault = cudaErrorAssert;
    CHECK_INT(dev_work_do(&c, &stream, &w, 0, &end, &asked), cudaSuccess);
    free(asked.at);
    CHECK_INT(c.context[0].fault, cudaErrorAssert);

    /* The client's time is over: before, and while the grid ran that asked for more. */
    const sim_child one = grid(&a, SIM_CHILD_IN_LINE, 1);
    script stops = {
        .info = {.name = "s", .pretty = "s"}, .us = 1, .children = &one, .count = 1, .stops = true};
    client_new();
    a.runs = 0;
    run(&stops);
    CHECK_INT(c.context[0].fault, cudaErrorLaunchTimeout);
    CHECK_INT(a.runs, 0);
    client_new();
    c.limits.stop = 1, stops.runs = 0;
    w = launch_of(&stops);
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorLaunchTimeout);
    CHECK_NEAR(end, 100, 0);
    CHECK_INT(stops.runs, 0);

    /* Fills and copies of kernels are checked by the device alone. */
    static const struct {
        sim_child_kind kind;
        uint64_t to;
        const char *text;
    } moves[] = {{SIM_CHILD_FILL, AT + 1,
                  "a kernel's cudaMemsetAsync of 512 bytes to 0x10001 is "
                  "not within one allocation"},
                 {SIM_CHILD_COPY, AT + 2,
                  "a kernel's cudaMemcpyAsync of 512 bytes to 0x10002 is "
                  "not within one allocation"},
                 {SIM_CHILD_FILL, AT, NULL}};
    for (unsigned i = 0; i < 3; i++) {
        const sim_child move = {.kind = moves[i].kind,
                                .when = SIM_CHILD_IN_LINE,
                                .to = moves[i].to,
                                .from = AT,
                                .bytes = 512,
                                .value = 3};
        script root = {
            .info = {.name = "r", .pretty = "root"}, .us = 1, .children = &move, .count = 1};
        const sim_finding *f;
        client_new();
        run(&root);
        bool bad = moves[i].text;
        CHECK_INT(c.context[0].fault, bad ? cudaErrorIllegalAddress : cudaSuccess);
        CHECK_INT(dev_client_findings(&c, &f), bad);
        if (bad) CHECK_STR(said(&f->said), moves[i].text);
        if (bad) CHECK(f->kind == SIM_FIND_OOB && f->address == moves[i].to && f->count == 1);
        CHECK_INT(dev_client_log(&c, &r), 2);
        CHECK(r[1].op == (moves[i].kind == SIM_CHILD_COPY ? DEV_OP_D2D : DEV_OP_MEMSET) &&
              r[1].bytes == 512 && r[1].status == (bad ? SIM_BAD_ADDRESS : SIM_OK));
        if (!bad) CHECK(memory[0][0] == 3 && memory[0][511] == 3);
    }
    /* A device without memory is no wrong address. */
    const sim_finding *f;
    sim_child move = {.kind = SIM_CHILD_FILL, .to = AT, .from = AT, .bytes = 512, .value = 3};
    script root = {.info = {.name = "r", .pretty = "root"}, .us = 1, .children = &move, .count = 1};
    client_new();
    says = SIM_NOMEM;
    run(&root);
    says = SIM_OK;
    CHECK_INT(c.context[0].fault, cudaErrorMemoryAllocation);
    CHECK_INT(dev_client_findings(&c, &f), 0);
    /* They are done 16 MiB at a time, so that a stop is heard of. */
    static const uint64_t at[] = {0, 16 << 20, 32 << 20}, n[] = {16 << 20, 16 << 20, 5};
    for (unsigned copies = 0; copies < 2; copies++) {
        move.kind = copies ? SIM_CHILD_COPY : SIM_CHILD_FILL;
        move.to = 2ull * BIG, move.from = BIG, move.bytes = (32 << 20) + 5;
        client_new();
        accesses = 0;
        run(&root);
        CHECK_INT(accesses, 3);
        for (unsigned i = 0; i < 3; i++) {
            CHECK_INT(big[i][0], 2ull * BIG + at[i]);
            CHECK_INT(big[i][1], copies ? BIG + at[i] : 3);
            CHECK_INT(big[i][2], n[i]);
        }
    }
}

/* ---- what a launch takes, and managed memory */

static void test_launches(void) {
    script k = {.info = {.name = "k", .pretty = "k"}, .us = 20};
    const dev_record *r;
    double end;
    client_new();
    dev_work w = launch_of(&k);
    /* 500 of 1000 blocks that fit: half of the device, as the next one; the third waits */
    w.launch.at.grid[0] = 50, w.launch.at.grid[1] = 5, w.launch.at.grid[2] = 2;
    for (unsigned i = 0; i < 3; i++) {
        dev_work_run(&c, &stream, &w, 100, &end);
        CHECK_NEAR(end, i < 2 ? 121 : 141, 1e-9);
    }
    /* behind another in a graph: no gap, and 0.7 of an empty kernel's 2 us less */
    client_new();
    w = launch_of(&k);
    c.log.follows = true;
    dev_work_run(&c, &stream, &w, 100, &end);
    CHECK_NEAR(end, 118.6, 1e-9);
    k.us = 1; /* of a shorter one 0.7 of itself */
    dev_work_run(&c, &stream, &w, 100, &end);
    CHECK_NEAR(end, 100.3, 1e-9);
    /* bandwidths: 8 of 16 MB that DRAM moves in 20 us, 10 of 40 MB that L2 does; and no more than
     * all */
    static const struct {
        uint64_t read, written, sectors;
        double dram, l2;
    } used[] = {
        {6000000, 2000000, 312500, 0.5, 0.25}, {16000000, 1, 0, 1, 0}, {0, 0, 1250001, 0, 1}};
    for (unsigned i = 0; i < 3; i++) {
        client_new();
        k.us = 20;
        k.counters.dram_read = used[i].read, k.counters.dram_write = used[i].written;
        k.counters.l2_sectors = used[i].sectors;
        w = launch_of(&k);
        dev_work_run(&c, &stream, &w, 100, &end);
        const struct dev_level *l = c.times.engine[0].levels;
        CHECK_INT(c.times.engine[0].level_count, 2);
        CHECK(l && l[0].t == 101 && l[1].t == 121);
        CHECK_NEAR(l ? l[0].used[DEV_DRAM] : 9, used[i].dram, 1e-9);
        CHECK_NEAR(l ? l[0].used[DEV_L2] : 9, used[i].l2, 1e-9);
    }
    k.counters = (sim_counters){0};
    /* a device that does not tell may have stored into all that both sides see */
    client_new();
    for (unsigned i = 0; i < 4; i++)
        dev_mem_add(&c, &(dev_mem){.base = 4096 * (i + 1),
                                   .bytes = 1u << i,
                                   .kind = i == 1 ? DEV_MEM_DEVICE : DEV_MEM_HOST,
                                   .on_host = i != 1});
    dev_replay_begins(&c);
    w = launch_of(&k);
    dev_work_run(&c, &stream, &w, 100, &end);
    CHECK_INT(c.log.hostflow.pending, 1 + 4 + 8);
    CHECK_STR(c.log.hostflow.saw.kernel, "k");
    CHECK_INT(c.log.hostflow.saw.op, DEV_OP_LAUNCH);
    /* which the next launch may go by: what it gives is its parameters, and no bytes */
    dev_flow flow;
    dev_work_run(&c, &stream, &w, 100, &end);
    dev_client_flow(&c, &flow);
    CHECK(flow.data);
    CHECK_INT(flow.most, 1 + 4 + 8);
    CHECK_INT(flow.gave.op, DEV_OP_LAUNCH);
    CHECK_INT(flow.gave.bytes, 0);
    CHECK_STR(flow.gave.kernel, "k");
    CHECK(c.limits.deadline == 0); /* the time of a device that is not simulated is the program's */
    /* a page that it waits for makes it longer; where no time is modelled there is none */
    static const double us[] = {20, 0};
    for (unsigned i = 0; i < 2; i++) {
        client_new();
        dev_pages *pages = dev_pages_new(1 << 16);
        dev_mem_add(&c, &(dev_mem){.base = (uint64_t)1 << 30,
                                   .bytes = 1 << 16,
                                   .kind = DEV_MEM_MANAGED,
                                   .on_host = true,
                                   .pages = pages});
        k.us = us[i], k.touch = (uint64_t)1 << 30;
        w = launch_of(&k);
        dev_work_run(&c, &stream, &w, 100, &end);
        dev_client_log(&c, &r);
        CHECK(r->page_faults > 0);
        CHECK(i ? r->result->time_us == 0 : r->result->time_us > 20);
        CHECK_NEAR(end, 101 + r->result->time_us, 1e-9);
        dev_mem_remove(&c, (uint64_t)1 << 30);
        free(c.memory.device[0].came.at), c.memory.device[0].came.at = NULL;
    }
}

/* ---- copies and fills */

#define PLACE(base, row, height)                                                                   \
    { .at = WIRE_AT_POINTER, .device = -1, .address = (base), .pitch = (row), .rows = (height) }

static void memory_new(void) {
    client_new();
    dev_mem_add(&c, &(dev_mem){.base = AT, .bytes = MEMORY});
    dev_mem_add(&c, &(dev_mem){.base = FAR, .bytes = MEMORY, .device = 1});
    dev_mem_add(
        &c,
        &(dev_mem){
            .base = HOST, .bytes = MEMORY, .kind = DEV_MEM_HOST, .on_host = true, .mapped = true});
    for (unsigned i = 0; i < MEMORY; i++)
        memory[0][i] = (uint8_t)i, memory[1][i] = (uint8_t)(i ^ 0x55), host[i] = (uint8_t)~i;
    accesses = 0;
}
static uint8_t *at_place(const wire_place *p) {
    return bytes_at(memory[p->address >= FAR && p->address < FAR + MEMORY], p->address, 1);
}

/* Every byte of each shape, and how many pieces it was moved in. */
static void test_copies(void) {
    static const struct {
        wire_place to, from;
        uint64_t w, h, d;
        dev_op op;
        unsigned pieces;
        uint64_t read, written; /* sectors */
    } rows[] = {
        {PLACE(AT + 256, 32, 2), PLACE(AT, 32, 2), 32, 2, 2, DEV_OP_D2D, 1, 4, 4},
        {PLACE(AT + 256, 32, 2), PLACE(AT, 64, 2), 32, 2, 2, DEV_OP_D2D, 4, 4, 4},
        {PLACE(AT + 256, 64, 2), PLACE(AT, 32, 2), 32, 2, 2, DEV_OP_D2D, 4, 4, 4},
        {PLACE(AT + 256, 32, 3), PLACE(AT, 32, 2), 32, 2, 2, DEV_OP_D2D, 4, 4, 4},
        {PLACE(AT + 256, 32, 2), PLACE(AT, 32, 3), 32, 2, 2, DEV_OP_D2D, 4, 4, 4},
        {PLACE(AT + 256, 32, 3), PLACE(AT, 32, 3), 32, 2, 2, DEV_OP_D2D, 4, 4, 4},
        {PLACE(AT + 256, 32, 3), PLACE(AT, 32, 4), 32, 2, 1, DEV_OP_D2D, 1, 2, 2},
        {PLACE(AT + 256, 99, 9), PLACE(AT, 77, 7), 32, 1, 1, DEV_OP_D2D, 1, 1, 1},
        {PLACE(AT + 256, 64, 1), PLACE(AT, 64, 1), 32, 1, 2, DEV_OP_D2D, 2, 2, 2},
        {PLACE(AT + 10, 64, 2), PLACE(AT + 256, 64, 2), 32, 2, 1, DEV_OP_D2D, 2, 2, 4},
        {PLACE(AT, 8, 2), PLACE(HOST + 8, 16, 2), 8, 2, 2, DEV_OP_H2D, 4, 0, 1},
        {PLACE(HOST, 8, 2), PLACE(AT + 4, 16, 2), 8, 2, 2, DEV_OP_D2H, 4, 4, 0},
        {PLACE(HOST + 64, 8, 2), PLACE(HOST, 8, 2), 8, 2, 2, DEV_OP_HOST, 1, 0, 0},
        {PLACE(FAR, 32, 2), PLACE(AT, 32, 2), 32, 2, 2, DEV_OP_D2D, 2, 4, 4},
        {PLACE(AT, 32, 2), PLACE(FAR, 33, 2), 32, 2, 1, DEV_OP_D2D, 4, 3, 2},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dev_record *r;
        uint8_t before[MEMORY];
        unsigned wrong = 0;
        double end;
        dev_work w = {.kind = DEV_WORK_COPY, .bytes = sizeof w};
        w.copy = (wire_copy){.to = rows[i].to,
                             .from = rows[i].from,
                             .width = rows[i].w,
                             .height = rows[i].h,
                             .depth = rows[i].d};
        const wire_place *to = &rows[i].to, *from = &rows[i].from;
        memory_new();
        uint8_t *p = at_place(to), *q = at_place(from);
        memcpy(before, q, 256);
        CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaSuccess);
        for (uint64_t k = 0; k < rows[i].w * rows[i].h * rows[i].d; k++) {
            uint64_t x = k % rows[i].w, y = k / rows[i].w % rows[i].h,
                     z = k / rows[i].w / rows[i].h;
            wrong += p[(z * to->rows + y) * to->pitch + x] !=
                     before[(z * from->rows + y) * from->pitch + x];
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(accesses, rows[i].pieces);
        CHECK_INT(dev_client_log(&c, &r), 1);
        CHECK_INT(r->op, rows[i].op);
        CHECK_INT(r->bytes, rows[i].w * rows[i].h * rows[i].d);
        CHECK_INT(r->read_sectors, rows[i].read);
        CHECK_INT(r->write_sectors, rows[i].written);
        CHECK(r->start_us == 100 && r->end_us == end && r->status == SIM_OK);
        /* what it costs in instructions: one for four bytes, and 64 a row */
        CHECK_INT(dev_client_work(&c), (rows[i].w / 4 + 64) * rows[i].h * rows[i].d);
    }
    /* Over the link, from the one to the other. */
    dev_work w = {.kind = DEV_WORK_COPY, .bytes = sizeof w};
    w.copy = (wire_copy){PLACE(FAR, 400, 1), PLACE(AT, 400, 1), 400, 1, 1, .async = 1};
    double end;
    memory_new();
    c.context[0].peers = 2;
    dev_work_run(&c, &stream, &w, 100, &end);
    CHECK_NEAR(end, 100 + 1.5 + 400 / 2e5, 1e-9);
    CHECK(c.times.engine[0].out == end && c.times.engine[1].in == end &&
          c.times.engine[1].out == 0);
    /* What the device measured counts, of all pieces. */
    w.copy = (wire_copy){PLACE(AT + 256, 32, 1), PLACE(AT, 64, 1), 32, 2, .depth = 1};
    memory_new();
    measured = 16.5;
    dev_work_run(&c, &stream, &w, 100, &end);
    CHECK_NEAR(end, 133, 1e-9);
    measured = 0;
    /* What the host sees of it, and what it gives. */
    static const struct {
        uint64_t to, from;
        bool gives, sees, puts;
    } flows[] = {{AT, HOST, true, false, true},
                 {AT + 64, AT, true, false, false},
                 {HOST, AT, false, true, false},
                 {HOST + 64, HOST, false, false, false}};
    for (unsigned i = 0; i < 4; i++) {
        dev_flow flow;
        memory_new();
        c.memory.ranges[0].kind = DEV_MEM_GRANTED;
        w.copy =
            (wire_copy){PLACE(flows[i].to, 32, 1), PLACE(flows[i].from, 32, 1), 32, 1, .depth = 1};
        dev_replay_begins(&c);
        dev_flow_saw(&c, DEV_OP_D2H, 8, "");
        dev_work_run(&c, &stream, &w, 100, &end);
        dev_client_flow(&c, &flow);
        CHECK_INT(flow.data, flows[i].gives);
        CHECK_INT(flow.gave.bytes, flows[i].gives ? 32 : 0);
        CHECK_INT(c.log.hostflow.pending, flows[i].gives ? 0 : flows[i].sees ? 40 : 8);
        CHECK_INT(dev_client_put(&c, AT), flows[i].puts ? 32 : 0);
    }
    w.copy = (wire_copy){PLACE(FAR, 400, 1), PLACE(AT, 400, 1), 400, 1, .depth = 1};
    memory_new();
    /* Ordinary memory is the program's to move, and what is freed is nobody's. */
    w.copy.from.at = WIRE_AT_PAGEABLE;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorInvalidValue);
    w.copy.from.at = WIRE_AT_POINTER, w.copy.from.address = 5;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorInvalidValue);
    w.copy.from.address = AT, w.copy.to.at = WIRE_AT_PAGEABLE;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorInvalidValue);
    const dev_record *r;
    CHECK_INT(dev_client_log(&c, &r), 0);
}

/* Memory of graphs: new at each launch, and counted while it is there. */
static void test_graph_memory(void) {
    dev_work alloc = {.kind = DEV_WORK_ALLOC, .bytes = sizeof alloc}, free_it = alloc;
    double end;
    client_new();
    poisoned = 0;
    dev_mem_add(&c, &(dev_mem){.base = FAR, .bytes = 100, .kind = DEV_MEM_GRAPH, .device = 1});
    dev_mem_add(&c, &(dev_mem){.base = FAR + 256, .bytes = 60, .kind = DEV_MEM_GRAPH, .device = 1});
    free_it.kind = DEV_WORK_FREE;
    alloc.alloc.address = free_it.alloc.address = FAR;
    static const struct {
        bool frees;
        uint64_t at, now, high;
    } rows[] = {{false, FAR, 100, 100},
                {false, FAR + 256, 160, 160},
                {true, FAR, 60, 160},
                {true, FAR, 0, 160} /* never less than none */,
                {true, FAR + 1, 0, 160} /* within it: none */,
                {false, FAR + 256, 60, 160},
                {true, FAR + 256, 0, 160},
                {true, 5, 0, 160}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_work *w = rows[i].frees ? &free_it : &alloc;
        w->alloc.address = rows[i].at;
        CHECK_INT(dev_work_run(&c, &stream, w, 100, &end), cudaSuccess);
        CHECK_INT(c.memory.device[1].graph_bytes, rows[i].now);
        CHECK_INT(c.memory.device[1].graph_high, rows[i].high);
        CHECK_NEAR(end, 100, 0);
    }
    CHECK_INT(poisoned, 100 + 60 + 60);
    alloc.alloc.address = 5;
    CHECK_INT(dev_work_run(&c, &stream, &alloc, 100, &end), cudaErrorInvalidValue);
}

static void test_fills(void) {
    static const struct {
        wire_place to;
        uint64_t w, h, d;
        uint32_t value, element;
        unsigned pieces;
        uint64_t written;
    } rows[] = {
        {PLACE(AT, 32, 2), 32, 2, 2, 0x5a, 1, 1, 4},
        {PLACE(AT, 64, 2), 32, 2, 2, 0x5a, 1, 4, 4},
        {PLACE(AT, 32, 3), 32, 2, 2, 0x1234, 2, 4, 4},
        {PLACE(AT, 32, 3), 32, 2, 1, 0x12345678, 4, 1, 2},
        {PLACE(FAR + 16, 32, 2), 32, 1, 2, 0x12345678, 4, 2, 4},
        {PLACE(HOST + 16, 32, 2), 32, 2, 2, 0x12345678, 4, 1, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dev_record *r;
        unsigned wrong = 0, set = 0;
        double end;
        dev_work w = {.kind = DEV_WORK_FILL, .bytes = sizeof w};
        w.fill = (wire_fill){.to = rows[i].to,
                             .width = rows[i].w,
                             .height = rows[i].h,
                             .depth = rows[i].d,
                             .value = rows[i].value,
                             .element = rows[i].element};
        const wire_place *to = &rows[i].to;
        memory_new();
        uint8_t *p = at_place(to), expect[MEMORY];
        memcpy(expect, p, MEMORY - 16);
        CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaSuccess);
        for (uint64_t z = 0; z < rows[i].d; z++)
            for (uint64_t y = 0; y < rows[i].h; y++)
                for (uint64_t x = 0; x < rows[i].w; x++, set++)
                    expect[(z * to->rows + y) * to->pitch + x] =
                        (uint8_t)(rows[i].value >> 8 * (x % rows[i].element));
        wrong += memcmp(p, expect, MEMORY - 16) != 0;
        CHECK_INT(wrong, 0);
        CHECK_INT(accesses, rows[i].pieces);
        CHECK_INT(dev_client_log(&c, &r), 1);
        CHECK(r->op == DEV_OP_MEMSET && r->bytes == set && r->write_sectors == rows[i].written);
        CHECK_INT(r->read_sectors, 0);
        CHECK_NEAR(end, 102 + set / 8e5, 1e-9);
        CHECK_INT(dev_client_work(&c), (rows[i].w / 4 + 64) * rows[i].h * rows[i].d);
    }
    dev_work w = {.kind = DEV_WORK_FILL, .bytes = sizeof w};
    double end;
    memory_new();
    w.fill = (wire_fill){PLACE(AT, 4, 1), 4, 1, 1, .element = 1};
    w.fill.to.at = WIRE_AT_PAGEABLE;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorInvalidValue);
    w.fill.to.at = WIRE_AT_POINTER, w.fill.to.address = 5;
    CHECK_INT(dev_work_run(&c, &stream, &w, 100, &end), cudaErrorInvalidValue);
}

/* A kernel's copies are as the host's: what they take to the host is seen, what they bring is given
 * and put, they have sectors, and they race. The fake device does not say what a launch stored: it
 * may be all. */
static void test_kernels_copies(void) {
    const sim_child out = {.kind = SIM_CHILD_COPY, .to = HOST + 64, .from = AT, .bytes = 96},
                    in = {.kind = SIM_CHILD_COPY, .to = AT + 32, .from = HOST, .bytes = 64};
    script takes = {.info = {.name = "t", .pretty = "t"}, .us = 1, .children = &out, .count = 1},
           brings = {.info = {.name = "b", .pretty = "b"}, .us = 1, .children = &in, .count = 1};
    const dev_record *r;
    const sim_finding *f;
    dev_flow flow;
    double end;
    memory_new();
    c.memory.ranges[0].kind = DEV_MEM_GRANTED;
    dev_replay_begins(&c);
    run(&takes);
    dev_client_flow(&c, &flow);
    CHECK(!flow.data && dev_client_put(&c, AT) == 0);
    run(&brings);
    dev_client_flow(&c, &flow);
    CHECK(flow.data && flow.saw.op == DEV_OP_D2H);
    CHECK_INT(flow.most, MEMORY + 96);
    CHECK_INT(dev_client_put(&c, AT), 64);
    CHECK_INT(dev_client_log(&c, &r), 4);
    CHECK(r[1].op == DEV_OP_D2H && r[1].read_sectors == 3 && !r[1].write_sectors);
    CHECK(r[3].op == DEV_OP_H2D && r[3].write_sectors == 2 && !r[3].read_sectors);
    CHECK_INT(dev_client_findings(&c, &f), 0);
    dev_stream other = {.id = 6, .handle = 78, .flags = cudaStreamNonBlocking};
    dev_work fill = {.kind = DEV_WORK_FILL, .bytes = sizeof fill};
    fill.fill = (wire_fill){PLACE(AT, 64, 1), 64, 1, 1, .element = 1};
    memory_new();
    stream.next = &other, stream.flags = cudaStreamNonBlocking;
    c.memory.ranges[0].kind = DEV_MEM_GRANTED;
    dev_mem_remove(&c, HOST); /* into it no launch may store: the host would have waited */
    const sim_child within = {.kind = SIM_CHILD_COPY, .to = AT + 32, .from = AT + 256, .bytes = 64};
    brings.children = &within;
    run(&brings);
    CHECK_INT(dev_work_run(&c, &other, &fill, 100, &end), cudaSuccess);
    CHECK_INT(dev_client_findings(&c, &f), 1);
    CHECK(f->kind == SIM_FIND_RACE && f->op == DEV_OP_D2D && f->address == AT + 32);
}

/* ---- replays */

static void test_replay(void) {
    const sim_child two[] = {grid(&a, SIM_CHILD_IN_LINE, 1), grid(&a, SIM_CHILD_IN_LINE, 1)};
    script root = {.info = {.name = "r", .pretty = "root"}, .us = 10, .children = two, .count = 2};
    dev_stream other = {.id = 6, .handle = 78, .flags = cudaStreamNonBlocking};
    dev_mark *mark = calloc(1, sizeof *mark);
    dev_work fill = {.kind = DEV_WORK_FILL, .bytes = sizeof fill},
             record = {.kind = DEV_WORK_RECORD, .bytes = sizeof record},
             wait = {.kind = DEV_WORK_WAIT, .bytes = sizeof wait};
    double end;
    const dev_record *r;
    memory_new();
    dev_mem_remove(&c, HOST); /* the host would see into it */
    *dev_clock(&c, 0) = 3;
    stream.next = &other;
    mark->refs = 1;
    fill.fill = (wire_fill){PLACE(AT, 400, 1), 400, 1, 1, .element = 1};
    record.event.event = wait.event.event = mark;
    dev_work launch = launch_of(&root);
    dev_replay_begins(&c);
    dev_replay_keep(&c, &stream, &launch, 10);
    dev_work_run(&c, &stream, &launch, 100, &end);
    dev_log(&c, DEV_OP_SYNC, 0, NULL, 50, 50, 0, SIM_OK);
    dev_replay_keep(&c, &stream, &record, 12);
    dev_replay_keep(&c, &other, &wait, 13);
    dev_replay_keep(&c, &other, &fill, 14);
    dev_work_run(&c, &other, &fill, 100, &end);
    dev_replay_keep(&c, &other, &fill, 14 + 60);
    dev_work_run(&c, &other, &fill, 100, &end);
    CHECK_INT(dev_client_log(&c, &r), 6);
    /* On an idle device: the launch at once, its grids behind it, the event behind all of them, and
     * the first fill behind the event; the second one 64 us behind the launch's call. */
    const double us = 2 + 400 / 8e5;
    for (unsigned k = 0; k < 3; k++) {
        double base = c.times.latest, ends[] = {11, 17, 23};
        root.count = 2 - k;
        CHECK_INT(dev_client_replay(&c), SIM_OK);
        CHECK_INT(dev_client_log(&c, &r), 6);
        for (unsigned i = 0; i < 3; i++) {
            bool ran = i < 3 - k; /* what did not run this time took none */
            CHECK_NEAR(r[i].end_us - base, ran ? ends[i] : 0, 1e-9);
            CHECK_NEAR(r[i].start_us - base, !ran ? 0 : i ? ends[i] - 5 : 1, 1e-9);
        }
        CHECK_NEAR(r[3].start_us, base, 0);
        CHECK_NEAR(r[3].end_us, base, 0);
        CHECK_NEAR(mark->when - base, ends[2 - k], 1e-9);
        CHECK_NEAR(r[4].start_us - base, ends[2 - k], 1e-9);
        CHECK_NEAR(r[4].end_us - base, ends[2 - k] + us, 1e-9);
        CHECK_NEAR(r[5].start_us - base, 64, 1e-9);
        CHECK_NEAR(stream.ready - base, ends[2 - k], 1e-9);
        CHECK_NEAR(other.ready - base, 64 + us, 1e-9);
        CHECK_NEAR(*dev_clock(&c, 0), c.times.latest, 0);
    }
    /* More than there was is not told of. */
    const sim_child three[] = {two[0], two[0], two[0]};
    root.children = three, root.count = 3;
    double base = c.times.latest;
    CHECK_INT(dev_client_replay(&c), SIM_OK);
    CHECK_INT(dev_client_log(&c, &r), 6);
    CHECK_NEAR(r[2].end_us - base, 23, 1e-9);
    CHECK(r[3].op == DEV_OP_SYNC && !r[3].result);
    CHECK_STR(r[3].kernel, "");
    CHECK_NEAR(r[4].start_us - base, 29, 1e-9);

    /* What is not the device's alone is not replayed. */
    bool *no[] = {&c.log.overflow, &c.log.once, &c.log.freed};
    for (unsigned i = 0; i < 3; i++) {
        *no[i] = true;
        CHECK_INT(dev_client_replay(&c), SIM_UNSUPPORTED);
        *no[i] = false;
    }
    for (unsigned d = 0; d < 2; d++) {
        c.context[d].fault = cudaErrorAssert;
        CHECK_INT(dev_client_replay(&c), SIM_UNSUPPORTED);
        c.context[d].fault = cudaSuccess;
    }
    c.memory.ranges[0].on_host = true;
    CHECK_INT(dev_client_replay(&c), SIM_UNSUPPORTED);
    c.memory.ranges[0].on_host = false;
    CHECK_INT(dev_client_replay(&c), SIM_OK);
    root.status = SIM_BAD_LAUNCH, root.count = 0;
    CHECK_INT(dev_client_replay(&c), SIM_BAD_ARGUMENT);
    CHECK(!c.log.replaying);

    /* A stream that is gone takes part as long as its work is kept. */
    root.status = SIM_OK;
    dev_stream *gone = calloc(1, sizeof *gone), *idle = calloc(1, sizeof *idle);
    gone->flags = cudaStreamNonBlocking;
    dev_replay_keep(&c, gone, &fill, 14);
    uint64_t held = c.budget.held;
    CHECK(!dev_replay_adopt_stream(&c, idle) && dev_replay_adopt_stream(&c, gone));
    CHECK_INT(c.budget.held - held, sizeof *gone);
    free(idle);
    base = c.times.latest;
    CHECK_INT(dev_client_replay(&c), SIM_OK);
    CHECK_NEAR(gone->ready - base, 4 + us, 1e-9);
    CHECK(c.streams.first == &stream && c.log.gone == gone && !gone->next);
    c.log.works[0].stream = gone; /* and stays when there is no room for another */
    c.budget.limit = c.budget.held + sizeof *gone - 1;
    CHECK(!dev_replay_adopt_stream(&c, &other) && c.log.overflow);
    dev_replay_begins(&c);
    CHECK_INT(c.budget.held, held);
    CHECK_INT(mark->refs, 1);
    CHECK(!c.log.gone && c.log.work_count == 0 && c.log.work_bytes == 0);
    free(mark);

    /* What is kept: works of a call, up to an eighth of what the client may hold. */
    client_new();
    dev_replay_keep(&c, &stream, &fill, 0);
    CHECK_INT(c.log.work_count, 0); /* no call */
    dev_replay_begins(&c);
    c.log.replaying = true;
    dev_replay_keep(&c, &stream, &fill, 0);
    CHECK_INT(c.log.work_count, 0);
    c.log.replaying = false;
    c.budget.limit = 8 * 2 * sizeof fill;
    for (unsigned i = 0; i < 2; i++) dev_replay_keep(&c, &stream, &fill, 0);
    CHECK(c.log.work_count == 2 && !c.log.overflow && !c.log.once);
    dev_replay_keep(&c, &stream, &fill, 0);
    CHECK(c.log.work_count == 2 && c.log.overflow);
    static const dev_work_kind shared[] = {DEV_WORK_HOST, DEV_WORK_GRAPH};
    for (unsigned i = 0; i < 2; i++) {
        client_new();
        dev_replay_begins(&c);
        dev_replay_keep(&c, &stream, &(dev_work){.kind = shared[i], .bytes = sizeof fill}, 0);
        CHECK(c.log.once && c.log.work_count == 0);
    }
}

int main(void) {
    test_order();
    test_nested();
    test_lines();
    test_chain();
    test_room();
    test_faults();
    test_launches();
    test_copies();
    test_fills();
    test_graph_memory();
    test_kernels_copies();
    test_replay();
    client_drop();
    return check_done();
}
