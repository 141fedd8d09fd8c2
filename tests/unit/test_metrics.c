/* Figures of a call, from records made by hand whose values can be read off. */
#include "grader/goal/goal.h"
#include "grader/judge/metrics.h"
#include "grader/figure.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "tests/check.h"
#include <stdlib.h>

static double value(const char *name, const dev_record *r, size_t n, double busy) {
    grade_goal g = {.kind = GRADE_GOAL_COUNTER, .name = name, .relation = GRADE_LE};
    grade_call_log log = {.records = r, .count = n, .busy_us = busy, .elapsed_us = 100};
    double v = -1;
    CHECK(grade_metric(&g, &log, &v) == METRIC_OK);
    return v;
}

/* Two streams: a copy 0..10, a kernel 5..15 beside it, a kernel 10..20, one 20..30 right behind. */
static void overlap(void) {
    static const dev_record r[] = {
        {.op = DEV_OP_H2D, .start_us = 0, .end_us = 10, .bytes = 4096, .pageable = true},
        {.op = DEV_OP_LAUNCH, .start_us = 5, .end_us = 15},
        {.op = DEV_OP_LAUNCH, .start_us = 10, .end_us = 20},
        {.op = DEV_OP_LAUNCH, .start_us = 20, .end_us = 30},
        {.op = DEV_OP_SYNC, .start_us = 30, .end_us = 30},
        {.op = DEV_OP_D2H, .start_us = 40, .end_us = 50, .bytes = 1000},
    };
    size_t n = sizeof r / sizeof *r;
    double busy = 40; /* 0..30 and 40..50 */
    /* Kernels in 5..30, copies in 0..10 and 40..50: 45 in 40. The two kernels at 10..15 save
     * nothing. */
    CHECK_NEAR(value("overlap_us", r, n, busy), 5, 1e-9);
    CHECK_NEAR(value("overlap_pct", r, n, busy), 100.0 * 5 / 45, 1e-9);
    CHECK_NEAR(value("overlap_us", r + 1, 3, 25), 0, 1e-9); /* kernels alone */
    CHECK_NEAR(value("kernels_at_once", r, n, busy), 2, 0);
    CHECK_NEAR(value("pageable_bytes", r, n, busy), 4096, 0);
    CHECK_NEAR(value("link_bytes", r, n, busy), 5096, 0);
    /* What takes none of the device's time is no part of the sum; a memset and pages are. */
    static const dev_record other[] = {{.op = DEV_OP_MEMSET, .start_us = 0, .end_us = 3},
                                       {.op = DEV_OP_PAGES_IN, .start_us = 0, .end_us = 5},
                                       {.op = DEV_OP_MALLOC, .start_us = 0, .end_us = 100},
                                       {.op = DEV_OP_GRAPH, .start_us = 0, .end_us = 100}};
    CHECK_NEAR(value("overlap_us", other, 4, 6), 2, 0); /* 8 of work in 6 */
    CHECK_NEAR(value("overlap_pct", other, 4, 6), 25, 0);
    CHECK_NEAR(value("overlap_us", other, 4, 9), 0, 0); /* never less than none */
    CHECK_NEAR(value("overlap_pct", other + 2, 2, 0), 0, 0);
    CHECK_NEAR(value("overlap_us", r + 5, 1, 10), 0, 0);
    static const dev_record both_ways[] = {{.op = DEV_OP_H2D, .start_us = 0, .end_us = 8},
                                           {.op = DEV_OP_D2H, .start_us = 2, .end_us = 6},
                                           {.op = DEV_OP_D2D, .start_us = 8, .end_us = 10}};
    CHECK_NEAR(value("overlap_us", both_ways, 3, 10), 4, 0);
    CHECK_NEAR(value("kernels_at_once", r + 5, 1, 10), 0, 0);
    /* Each begins a moment before the one before it ends: two run for 6 of 103. The fourth begins
     * earlier: three run for a moment, two for more than a tenth. */
    dev_record chain[] = {{.op = DEV_OP_LAUNCH, .start_us = 0, .end_us = 27},
                          {.op = DEV_OP_LAUNCH, .start_us = 25, .end_us = 53},
                          {.op = DEV_OP_LAUNCH, .start_us = 51, .end_us = 79},
                          {.op = DEV_OP_LAUNCH, .start_us = 77, .end_us = 103}};
    CHECK_NEAR(value("kernels_at_once", chain, 4, 103), 1, 0);
    chain[3].start_us = 52;
    CHECK_NEAR(value("kernels_at_once", chain, 4, 103), 2, 0);
    /* 27 + 28 + 28 + 51 in 103; two kernels beside each other for all of their time */
    CHECK_NEAR(value("kernels_at_once_avg", chain, 4, 103), 134.0 / 103, 1e-9);
    const dev_record beside[] = {{.op = DEV_OP_LAUNCH, .start_us = 0, .end_us = 4},
                                 {.op = DEV_OP_LAUNCH, .start_us = 0, .end_us = 4},
                                 {.op = DEV_OP_D2H, .start_us = 4, .end_us = 8}};
    CHECK_NEAR(value("kernels_at_once_avg", beside, 3, 8), 2, 1e-9);
    CHECK_NEAR(value("kernels_at_once_avg", beside + 2, 1, 4), 0, 0);
}

static void calls(void) {
    sim_result host = {.link_bytes = 640};
    const dev_record r[] = {
        {.op = DEV_OP_MALLOC, .bytes = 8},
        {.op = DEV_OP_MALLOC, .bytes = 8, .pooled = true},
        {.op = DEV_OP_MALLOC, .bytes = 8, .pooled = true},
        {.op = DEV_OP_FREE, .bytes = 8, .pooled = true},
        {.op = DEV_OP_FREE, .bytes = 8},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .result = &host},
        {.op = DEV_OP_GRAPH},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .in_graph = true},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .in_graph = true},
    };
    size_t n = sizeof r / sizeof *r;
    CHECK_NEAR(value("mallocs", r, n, 1), 1, 0);
    CHECK_NEAR(value("pool_allocs", r, n, 1), 2, 0);
    CHECK_NEAR(value("frees", r, n, 1), 1, 0);
    CHECK_NEAR(value("launches", r, n, 1), 3, 0);
    CHECK_NEAR(value("launch_calls", r, n, 1), 2, 0); /* one launch, one graph */
    CHECK_NEAR(value("link_bytes", r, n, 1), 640, 0);
}

/* Every figure of the call's own, with each record counted once and weighted so that no two sums
 * agree. */
/* Goals per thread: blocks of 256 and 64 threads. Of the second launch a quarter leads to the
 * outputs, the third leads nowhere. */
static void threads(void) {
    dev_leading quarter = {.threads = 0.25, .blocks = 1};
    const dev_record r[] = {
        {.op = DEV_OP_LAUNCH, .kernel = "sum", .grid = {4, 1, 1}, .block = {256, 1, 1}},
        {.op = DEV_OP_LAUNCH,
         .kernel = "other",
         .grid = {10, 1, 1},
         .block = {64, 1, 1},
         .leading = &quarter},
        {.op = DEV_OP_LAUNCH,
         .kernel = "sum",
         .grid = {4, 1, 1},
         .block = {256, 1, 1},
         .idle = true},
        {.op = DEV_OP_MEMSET, .bytes = 4},
    };
    const grade_call_log log = {.records = r, .count = 4};
    CHECK_NEAR(grade_metric_threads(&(grade_goal){.name = "barriers"}, &log), 1024 + 160, 0);
    grade_goal named = {.name = "barriers", .kernel = "sum"};
    CHECK_NEAR(grade_metric_threads(&named, &log), 1024, 0);
    CHECK(grade_metric_leads(&(grade_goal){.name = "barriers", .relation = GRADE_GE}) &&
          grade_metric_leads(&(grade_goal){.name = "lanes_per_atomic"}) &&
          !grade_metric_leads(&(grade_goal){.name = "barriers"}));
    CHECK(grade_metric_sum("barriers") && grade_metric_sum("block_barriers"));
    CHECK(!grade_metric_sum("gld_sectors_per_request") && !grade_metric_sum("launches") &&
          !grade_metric_sum("nothing"));
}

static void each_call_metric(void) {
    sim_result host = {.link_bytes = 1, .counters = {.heap_allocs = 64}};
    const dev_record r[] = {
        {.op = DEV_OP_H2D, .bytes = 10},
        {.op = DEV_OP_H2D, .bytes = 20, .pageable = true},
        {.op = DEV_OP_D2H, .bytes = 400},
        {.op = DEV_OP_D2D, .bytes = 8000, .misdirected = true},
        {.op = DEV_OP_MALLOC, .memory = 256, .bytes = 32},
        {.op = DEV_OP_MALLOC, .memory = 512, .bytes = 64, .pooled = true},
        {.op = DEV_OP_FREE, .memory = 256, .bytes = 32},
        {.op = DEV_OP_FREE, .memory = 512, .bytes = 64, .pooled = true},
        {.op = DEV_OP_SYNC},
        {.op = DEV_OP_SYNC},
        {.op = DEV_OP_SYNC},
        {.op = DEV_OP_LAUNCH, .result = &host, .page_faults = 5, .migrated_bytes = 65536},
    };
    static const struct {
        const char *name, *unit;
        double value;
    } want[] = {{"launches", "launches", 1},
                {"h2d_copies", "copies", 2},
                {"h2d_bytes", "bytes", 30},
                {"d2h_copies", "copies", 1},
                {"d2h_bytes", "bytes", 400},
                {"d2d_bytes", "bytes", 8000},
                {"allocations", "calls", 66}, /* cudaMalloc, a pool's, a heap's by 64 lanes */
                {"releases", "calls", 2},
                {"launch_calls", "calls", 1},
                {"pageable_bytes", "bytes", 20},
                {"link_bytes", "bytes", 65967},
                {"page_faults", "faults", 5},
                {"migrated_bytes", "bytes", 65536},
                {"mallocs", "calls", 1},
                {"pool_allocs", "calls", 1},
                {"malloc_bytes", "bytes", 96},
                {"frees", "calls", 1},
                {"syncs", "calls", 3},
                {"device_us", "us", 7},
                {"misdirected_copies", "copies", 1},
                {"released_pct", "%", 100},
                {"full_launches", "launches", 0}, /* it executed nothing */
                {"waits", "calls", 1},            /* the other two had nothing to wait for */
                {"elapsed_us", "us", 100}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        printf("# %s\n", want[i].name);
        CHECK_NEAR(value(want[i].name, r, sizeof r / sizeof *r, 7), want[i].value, 0);
        CHECK_STR(grade_metric_unit(want[i].name), want[i].unit);
    }
    CHECK_STR(grade_metric_unit("gld_sectors_per_request"), "sectors/request");
    CHECK_STR(grade_metric_unit("nothing"), "");
    CHECK_NEAR(value("kernels_at_once", r, 0, 0), 0, 0);
    CHECK_NEAR(value("overlap_pct", r, 0, 0), 0, 0);
}

/* What a call did, whatever it calls for show: how much was freed, what launches execute, what
 * waits wait for. */
static void whole_calls(void) {
    static const dev_record memory[] = {
        {.op = DEV_OP_FREE, .memory = 8, .bytes = 1},
        {.op = DEV_OP_MALLOC, .memory = 4096, .bytes = 100},
        {.op = DEV_OP_MALLOC, .memory = 512, .bytes = 300, .pooled = true},
        {.op = DEV_OP_FREE, .memory = 8, .bytes = 500}, /* of an earlier call */
        {.op = DEV_OP_FREE, .memory = 512, .bytes = 300, .pooled = true},
        {.op = DEV_OP_MALLOC, .memory = 512, .bytes = 600}, /* where the last one was */
        {.op = DEV_OP_MALLOC, .memory = 9999, .bytes = 7, .status = SIM_BAD_ARGUMENT},
        {.op = DEV_OP_FREE, .memory = 512, .bytes = 600},
        {.op = DEV_OP_FREE, .memory = 4096, .bytes = 100}};
    static const struct {
        size_t from, count;
        double pct, kept;
    } freed[] = {{0, 0, 0, 0},    {0, 1, 0, 0},    {1, 1, 0, 100},
                 {1, 3, 0, 400},  {1, 4, 75, 100}, /* 300 of 400 */
                 {1, 5, 30, 700}, {1, 6, 30, 700}, /* what failed is not there */
                 {1, 7, 90, 100}, {1, 8, 100, 0}};
    for (size_t i = 0; i < sizeof freed / sizeof *freed; i++) {
        CHECK_NEAR(value("released_pct", memory + freed[i].from, freed[i].count, 1), freed[i].pct,
                   1e-12);
        CHECK_NEAR(value("kept_bytes", memory + freed[i].from, freed[i].count, 1), freed[i].kept,
                   0);
    }

    /* of the device heap: one kernel takes 640 bytes, another frees 600 of them, or all, or more
     * than that, which an earlier call had taken */
    sim_result heap[] = {
        {.heap_grown = 640}, {.heap_grown = -600}, {.heap_grown = -40}, {.heap_grown = -8}};
    const dev_record grab[] = {{.op = DEV_OP_LAUNCH, .result = &heap[0]},
                               {.op = DEV_OP_LAUNCH, .result = &heap[1]},
                               {.op = DEV_OP_LAUNCH, .result = &heap[2]},
                               {.op = DEV_OP_LAUNCH, .result = &heap[3]}};
    static const double left[] = {0, 640, 40, 0, 0};
    for (size_t n = 0; n < sizeof left / sizeof *left; n++)
        CHECK_NEAR(value("kept_bytes", grab, n, 1), left[n], 0);
    CHECK_NEAR(value("released_pct", grab, 1, 1), 0, 0);

    /* Of 100 freed bytes, 40 were for show; 60 more lie in a variable, which is never freed. */
    const dev_record shown[] = {{.op = DEV_OP_MALLOC, .memory = 512, .bytes = 100, .unused = 40},
                                {.op = DEV_OP_FREE, .memory = 512, .bytes = 100}};
    const grade_call_log show = {.records = shown, .count = 2, .variables = 60};
    double freed_pct = 0;
    CHECK(grade_metric(&(grade_goal){.name = "released_pct"}, &show, &freed_pct) == METRIC_OK);
    CHECK_NEAR(freed_pct, 50, 1e-9);
    const dev_record moves[] = {{.op = DEV_OP_H2D, .bytes = 1},
                                {.op = DEV_OP_D2H, .bytes = 20},
                                {.op = DEV_OP_D2D, .bytes = 300},
                                {.op = DEV_OP_MEMSET, .bytes = 4000},
                                {.op = DEV_OP_MALLOC, .bytes = 50000}};
    CHECK_NEAR(value("moved_bytes", moves, 5, 1), 4321, 0);

    const grade_call_log computed = {.records = grab, .count = 1, .computed = 17};
    double words = 0;
    CHECK(grade_metric(&(grade_goal){.name = "host_words"}, &computed, &words) == METRIC_OK);
    CHECK_NEAR(words, 17, 0);

    sim_result did[] = {{.counters = {.thread_inst = 500}},
                        {.counters = {.thread_inst = 499}},
                        {.counters = {.thread_inst = 1000}},
                        {.counters = {.thread_inst = 0}}};
    const dev_record launch[] = {{.op = DEV_OP_LAUNCH, .result = &did[0]},
                                 {.op = DEV_OP_LAUNCH, .result = &did[1]},
                                 {.op = DEV_OP_LAUNCH, .result = &did[2]},
                                 {.op = DEV_OP_LAUNCH, .result = &did[3]},
                                 {.op = DEV_OP_LAUNCH},
                                 {.op = DEV_OP_MEMSET, .result = &did[2]}};
    CHECK_NEAR(value("full_launches", launch, 6, 1), 2, 0); /* half of the largest is enough */
    CHECK_NEAR(value("full_launches", launch, 2, 1), 2, 0);
    /* Of those that run at the same time, one counts: 0..4 and 5..9, not 1..6. */
    const dev_record at[] = {{.op = DEV_OP_LAUNCH, .result = &did[2], .start_us = 1, .end_us = 6},
                             {.op = DEV_OP_LAUNCH, .result = &did[2], .start_us = 5, .end_us = 9},
                             {.op = DEV_OP_LAUNCH, .result = &did[2], .start_us = 0, .end_us = 4}};
    CHECK_NEAR(value("full_launches", at, 3, 9), 2, 0);
    CHECK_NEAR(value("full_launches", launch + 3, 3, 1), 0, 0);

    static const dev_record wait[] = {
        {.op = DEV_OP_MALLOC}, {.op = DEV_OP_HOST},   {.op = DEV_OP_GRAPH}, {.op = DEV_OP_FREE},
        {.op = DEV_OP_SYNC},   {.op = DEV_OP_LAUNCH}, {.op = DEV_OP_SYNC},  {.op = DEV_OP_SYNC},
        {.op = DEV_OP_H2D},    {.op = DEV_OP_D2D},    {.op = DEV_OP_SYNC},  {.op = DEV_OP_MEMSET},
        {.op = DEV_OP_SYNC},   {.op = DEV_OP_D2H}};
    CHECK_NEAR(value("waits", wait, 5, 1), 0, 0);
    CHECK_NEAR(value("waits", wait, 7, 1), 1, 0);
    CHECK_NEAR(value("waits", wait, 8, 1), 1, 0);
    CHECK_NEAR(value("waits", wait, 11, 1), 2, 0);
    CHECK_NEAR(value("waits", wait, 14, 1), 3, 0);
}

/* Kernels that overlap occupy more together than each alone: then no launch has the value. */
static void occupied_together(void) {
    sim_result part = {.achieved_occupancy_pct = 20};
    dev_record r[] = {
        {.op = DEV_OP_LAUNCH, .kernel = "a", .result = &part, .end_us = 10},
        {.op = DEV_OP_LAUNCH, .kernel = "b", .result = &part, .start_us = 5, .end_us = 15}};
    const grade_call_log log = {.records = r, .count = 2};
    const grade_goal g = {.name = "achieved_occupancy_pct", .relation = GRADE_GE};
    dev_record of = {.kernel = ""};
    CHECK_NEAR(value("achieved_occupancy_pct", r, 2, 15), 400.0 / 15, 1e-9); /* 200 + 200 in 15 */
    CHECK(!grade_metric_launch(&g, &log, &of));
    r[1].start_us = 10, r[1].end_us = 20;
    CHECK_NEAR(value("achieved_occupancy_pct", r, 2, 20), 20, 0);
    CHECK(grade_metric_launch(&g, &log, &of));
    CHECK_STR(of.kernel, "a");
}

/* A goal names a kernel by its own name, not by a part of it. */
static void named_kernels(void) {
    static const struct {
        const char *kernel, *asked;
        bool meant;
    } rows[] = {
        {"after", "after", true},
        {"after", "aft", false},
        {"after", "fter", false},
        {"after", "after2", false},
        {"not_after", "after", false},
        {"after_all", "after", false},
        {"after<256>", "after", true},
        {"after<256>", "after<256>", true},
        {"after<256>", "after<25", false},
        {"after<256>", "after<128>", false},
        {"a::b::after<c::d>", "after", true},
        {"a::b::after<c::d>", "after<c::d>", true},
        {"a::b::after<c::d>", "a::b::after", true},
        {"a::b::after<c::d>", "b::after", false},
        {"a::b::after<c::d>", "d", false},
        {"a::b::after<c::d>", "b", false},
        {"before<after>", "after", false},
        {"after::before", "after", false},
        {"(anonymous namespace)::after", "after", true},
        {"after", "aft*", true},
        {"a::after<1>", "aft*", true},
        {"a::after<1>", "a::*", true},
        {"before", "aft*", false},
        {"before", "*", true},
        {"before", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kernel = rows[i].asked};
        dev_record r = {.op = DEV_OP_LAUNCH, .kernel = rows[i].kernel};
        check_that(grade_launch_counts(&g, &r) == rows[i].meant, __FILE__, __LINE__, rows[i].kernel,
                   rows[i].asked);
    }
    grade_goal any = {0};
    dev_record launch = {.op = DEV_OP_LAUNCH}, copy = {.op = DEV_OP_D2D, .kernel = "k"};
    CHECK(grade_launch_counts(&any, &launch) && !grade_launch_counts(&any, &copy));
}

/* Counters: summed over the launches, the worst of them, those of one kernel, and what copies on
 * the device do like kernels. */
static void counters(void) {
    sim_result a = {.counters = {.warp_inst = 5, /* the first of all, see counters.def */
                                 .gld_requests = 10,
                                 .gld_sectors = 40,
                                 .gld_bytes = 1280,
                                 .branches = 8,
                                 .divergent_branches = 2}},
               b = {.counters = {.gld_requests = 10,
                                 .gld_sectors = 320,
                                 .gld_bytes = 1280,
                                 .local_ld_requests = 5,
                                 .local_st_requests = 2}},
               none = {.counters = {.warp_inst = 2, .gst_requests = 4, .gst_sectors = 16}};
    a.occupancy.pct = 75, b.occupancy.pct = 50, none.occupancy.pct = 100;
    a.achieved_occupancy_pct = 60, b.achieved_occupancy_pct = 20, none.achieved_occupancy_pct = 30;
    a.stalls.warp_pct[SIM_STALL_BARRIER] = 5, b.stalls.warp_pct[SIM_STALL_BARRIER] = 9;
    sim_kernel_info info[2] = {
        {.registers = 40, .static_shared = 100, .spill_bytes = 12, .local_bytes = 16},
        {.registers = 24, .spill_bytes = 4, .local_bytes = 32}};
    dev_record r[] = {
        {.op = DEV_OP_LAUNCH,
         .kernel = "load_row",
         .result = &a,
         .info = &info[0],
         .grid = {2, 3, 5},
         .block = {7, 11, 13},
         .dynamic_shared = 28,
         .start_us = 1,
         .end_us = 4},
        {.op = DEV_OP_LAUNCH,
         .kernel = "load_column",
         .result = &b,
         .info = &info[1],
         .grid = {1, 1, 1},
         .block = {32, 1, 1},
         .start_us = 5,
         .end_us = 7},
        {.op = DEV_OP_LAUNCH,
         .kernel = "store",
         .result = &none,
         .grid = {1, 1, 1},
         .block = {32, 1, 1},
         .start_us = 8,
         .end_us = 9},
        {.op = DEV_OP_SYNC},
    };
    grade_call_log log = {.records = r, .count = 4, .busy_us = 6, .elapsed_us = 9};
    static const struct {
        const char *name, *kernel, *per;
        grade_relation relation;
        metric_status status;
        double value;
    } rows[] = {
        {"warp_inst", NULL, NULL, GRADE_LE, METRIC_OK, 7},
        {"gld_sectors", NULL, NULL, GRADE_LE, METRIC_OK, 360},
        {"gld_sectors_per_request", NULL, NULL, GRADE_LE, METRIC_OK, 18},
        {"gld_sectors_per_request", NULL, "max", GRADE_LE, METRIC_OK, 32},
        {"gld_sectors_per_request", NULL, "max", GRADE_LT, METRIC_OK, 32},
        {"gld_sectors_per_request", NULL, "max", GRADE_EQ, METRIC_OK, 32},
        {"gld_sectors_per_request", NULL, "max", GRADE_GE, METRIC_OK, 4},
        {"gld_sectors_per_request", NULL, "max", GRADE_GT, METRIC_OK, 4},
        {"gld_sectors_per_request", "load_row", NULL, GRADE_LE, METRIC_OK, 4},
        {"gld_sectors_per_request", "load_*", NULL, GRADE_LE, METRIC_OK, 18},
        {"gld_sectors_per_request", "load", NULL, GRADE_LE, METRIC_NO_LAUNCH, 0},
        {"gld_sectors_per_request", "store", NULL, GRADE_LE, METRIC_UNDEFINED, 0},
        {"gld_sectors_per_request", "store", "max", GRADE_LE, METRIC_UNDEFINED, 0},
        {"gld_sectors_per_request", "other", NULL, GRADE_LE, METRIC_NO_LAUNCH, 0},
        {"divergent_branch_pct", NULL, NULL, GRADE_LE, METRIC_OK, 25},
        {"divergent_branch_pct", "load_column", NULL, GRADE_LE, METRIC_OK, 0},
        {"gld_sektors", NULL, NULL, GRADE_LE, METRIC_UNKNOWN, 0},
        {"registers", NULL, NULL, GRADE_LE, METRIC_OK, 40},
        {"registers", "load_column", NULL, GRADE_LE, METRIC_OK, 24},
        {"registers", "load_*", NULL, GRADE_GE, METRIC_OK, 24},
        {"shared_bytes", NULL, NULL, GRADE_LE, METRIC_OK, 128},
        {"threads_per_block", NULL, NULL, GRADE_LE, METRIC_OK, 1001},
        {"blocks", NULL, NULL, GRADE_LE, METRIC_OK, 30},
        {"kernel_us", NULL, NULL, GRADE_LE, METRIC_OK, 3},
        {"kernel_us", NULL, NULL, GRADE_GE, METRIC_OK, 1},
        /* a goal that names kernels adds their launches: 1 to 4 and 5 to 7 */
        {"kernel_us", "load_row", NULL, GRADE_LE, METRIC_OK, 3},
        {"kernel_us", "load_*", NULL, GRADE_LE, METRIC_OK, 5},
        {"kernel_us", "load_*", NULL, GRADE_GE, METRIC_OK, 2},
        {"spill_bytes", NULL, NULL, GRADE_LE, METRIC_OK, 12},
        /* 30 blocks of 1001 threads, 32 warps: 3 spilled words each; 1 block of a warp: 1 word, and
         * 5 loads and 2 stores of an array */
        {"local_accesses", NULL, NULL, GRADE_LE, METRIC_OK, 2880},
        {"local_accesses", "load_column", NULL, GRADE_LE, METRIC_OK, 8},
        {"local_accesses", "store", NULL, GRADE_LE, METRIC_OK, 0},
        {"local_bytes", NULL, NULL, GRADE_LE, METRIC_OK, 32},
        {"occupancy_pct", NULL, NULL, GRADE_GE, METRIC_OK, 50},
        {"occupancy_pct", NULL, NULL, GRADE_LE, METRIC_OK, 100},
        {"achieved_occupancy_pct", NULL, NULL, GRADE_GE, METRIC_OK, 20},
        {"achieved_occupancy_pct", "load_row", NULL, GRADE_GE, METRIC_OK, 60},
        {"stall_barrier_pct", NULL, NULL, GRADE_LE, METRIC_OK, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = rows[i].name,
                        .kernel = rows[i].kernel,
                        .per = rows[i].per,
                        .relation = rows[i].relation};
        double v = -1;
        printf("# %zu %s\n", i, rows[i].name);
        CHECK_INT(grade_metric(&g, &log, &v), rows[i].status);
        if (rows[i].status == METRIC_OK) CHECK_NEAR(v, rows[i].value, 1e-9);
    }
    /* "At least" a ratio is asked of who gives the outputs their bytes: the worst launch, but for
     * those that together store less than a sixteenth of them. */
    sim_result show = {.counters = {.warp_inst = 1000, .thread_inst = 32000}},
               work = {.counters = {.warp_inst = 100, .thread_inst = 2400, .gst_bytes = 1000}},
               small = {.counters = {.warp_inst = 10, .thread_inst = 10, .gst_bytes = 60}};
    dev_record parts[] = {{.op = DEV_OP_LAUNCH, .kernel = "show", .result = &show},
                          {.op = DEV_OP_LAUNCH, .kernel = "small", .result = &small},
                          {.op = DEV_OP_LAUNCH, .kernel = "work", .result = &work},
                          {.op = DEV_OP_MEMSET, .bytes = 4096}};
    static const struct {
        grade_relation relation;
        double out_bytes, value;
        const char *kernel;
    } least[] = {{GRADE_GE, 1000, 24, NULL},
                 {GRADE_GT, 1000, 24, NULL},
                 {GRADE_GE, 960, 1, NULL}, /* 60 are a sixteenth */
                 {GRADE_GE, 1e6, 1, NULL}, /* hardly anything was stored */
                 {GRADE_GE, 1000, 32, "show"},
                 {GRADE_GE, 0, 34410.0 / 1110, NULL},
                 {GRADE_LE, 1000, 34410.0 / 1110, NULL}};
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        grade_call_log call = {.records = parts, .count = 4, .out_bytes = least[i].out_bytes};
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = "active_lanes_avg",
                        .kernel = least[i].kernel,
                        .relation = least[i].relation};
        double v = -1;
        CHECK_INT(grade_metric(&g, &call, &v), METRIC_OK);
        CHECK_NEAR(v, least[i].value, 1e-9);
    }
    /* Where launches store into the lab's buffers these decide; and who does most of the work. */
    sim_result tick = {.counters = {.warp_inst = 1, .thread_inst = 1, .gst_bytes = 4}},
               fill = {.counters = {.warp_inst = 400, .thread_inst = 9600, .gst_bytes = 1000}},
               give = {.counters = {.warp_inst = 500, .thread_inst = 16000, .gst_bytes = 1000}};
    dev_record helped[] = {
        {.op = DEV_OP_LAUNCH, .kernel = "tick", .result = &tick, .block = {1, 1, 1}},
        {.op = DEV_OP_LAUNCH, .kernel = "fill", .result = &fill, .block = {64, 1, 1}},
        {.op = DEV_OP_LAUNCH, .kernel = "give", .result = &give, .block = {128, 2, 1}}};
    static const struct {
        const char *name;
        bool gives;
        uint64_t filled; /* instructions of fill */
        grade_relation relation;
        double value;
        const char *launch;
    } help[] = {{"threads_per_block", true, 400, GRADE_GE, 256, "give"},
                {"threads_per_block", false, 400, GRADE_GE, 64, "fill"},
                {"threads_per_block", true, 600, GRADE_GE, 64, "fill"}, /* more than half */
                {"threads_per_block", true, 400, GRADE_LE, 256, "give"},
                {"active_lanes_avg", true, 400, GRADE_GE, 32, "give"},
                {"active_lanes_avg", false, 400, GRADE_GE, 24, "fill"}};
    for (size_t i = 0; i < sizeof help / sizeof *help; i++) {
        grade_call_log call = {.records = helped, .count = 3, .out_bytes = 1000};
        grade_goal g = {
            .kind = GRADE_GOAL_COUNTER, .name = help[i].name, .relation = help[i].relation};
        double v = -1;
        helped[2].gives = help[i].gives;
        fill.counters.warp_inst = help[i].filled, fill.counters.thread_inst = 24 * help[i].filled;
        CHECK_INT(grade_metric(&g, &call, &v), METRIC_OK);
        CHECK_NEAR(v, help[i].value, 1e-9);
        dev_record of = {.kernel = ""};
        CHECK(grade_metric_launch(&g, &call, &of));
        CHECK_STR(of.kernel, help[i].launch);
    }
    /* "At least" is asked of what leads to the outputs; how often something is called counts all
     * the same. */
    dev_leading leads = {
        .counters = {.warp_inst = 50, .flop_sp = 70, .gld_sectors = 120, .gld_requests = 10},
        .blocks = 0.5,
        .threads = 0.75};
    sim_result half = {.counters = {.warp_inst = 100,
                                    .flop_sp = 100,
                                    .gld_sectors = 150,
                                    .gld_requests = 50}},
               show_only = {.counters = {.warp_inst = 900, .flop_sp = 900, .tex_requests = 7}};
    dev_record led[] = {
        {.op = DEV_OP_LAUNCH, .kernel = "k", .result = &half, .leading = &leads, .end_us = 4},
        {.op = DEV_OP_LAUNCH, .kernel = "k", .result = &show_only, .idle = true, .end_us = 3},
        {.op = DEV_OP_LAUNCH, .kernel = "k", .result = &half, .start_us = 3, .end_us = 6},
        {.op = DEV_OP_H2D, .bytes = 64, .idle = true, .start_us = 0, .end_us = 6}};
    /* Of a launch: the threads of the blocks that lead there; a tenth of them may be missing. */
    sim_result full = {.occupancy = {.pct = 80},
                       .achieved_occupancy_pct = 60,
                       .counters = {.warp_inst = 50, .thread_inst = 1500}};
    dev_leading nearly = {.counters = full.counters, .blocks = 1, .threads = 0.91},
                part = {.counters = full.counters, .blocks = 0.5, .threads = 0.75};
    dev_record filled = {.op = DEV_OP_LAUNCH,
                         .kernel = "k",
                         .result = &full,
                         .grid = {8, 2, 1},
                         .block = {64, 2, 1}};
    static const struct {
        const char *name;
        double all, lead;
    } crew[] = {{"threads_per_block", 128, 96}, {"blocks", 16, 8},
                {"occupancy_pct", 80, 60},      {"achieved_occupancy_pct", 60, 45},
                {"active_lanes_avg", 30, 24},   {"lane_efficiency_pct", 93.75, 75}};
    for (size_t i = 0; i < sizeof crew / sizeof *crew; i++) {
        const dev_leading *of[] = {NULL, &nearly, &part, &part};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            grade_call_log call = {.records = &filled, .count = 1, .out_bytes = 1000};
            grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                            .name = crew[i].name,
                            .relation = k == 3 ? GRADE_LE : GRADE_GE};
            double v = -1;
            filled.leading = of[k];
            CHECK_INT(grade_metric(&g, &call, &v), METRIC_OK);
            CHECK_NEAR(v, k == 2 ? crew[i].lead : crew[i].all, 1e-9);
        }
    }
    static const struct {
        const char *name;
        grade_relation relation;
        double value;
    } asked[] = {{"flop_sp", GRADE_GE, 170},
                 {"flop_sp", GRADE_LE, 1100},
                 {"kernels_at_once", GRADE_GE, 2},
                 {"overlap_us", GRADE_GE, 0}, /* the copy leads nowhere */
                 {"overlap_us", GRADE_LE, 6},
                 {"h2d_bytes", GRADE_GT, 0},
                 {"launches", GRADE_GE, 3},
                 {"tex_requests", GRADE_GE, 0},
                 /* A ratio must be low for all work, and without what lowers it for show. */
                 {"gld_sectors_per_request", GRADE_LE, 4.5},
                 {"gld_sectors_per_request", GRADE_EQ, 3},
                 {"gld_sectors", GRADE_LE, 300}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        grade_call_log call = {.records = led, .count = 4, .busy_us = 6, .out_bytes = 1000};
        grade_goal g = {
            .kind = GRADE_GOAL_COUNTER, .name = asked[i].name, .relation = asked[i].relation};
        double v = -1;
        CHECK_INT(grade_metric(&g, &call, &v), METRIC_OK);
        CHECK_NEAR(v, asked[i].value, 1e-9);
    }
    /* A copy of 1000 bytes as a kernel of 4 bytes a thread: 8 warps. What a goal asks of loads and
     * stores as such is of kernels alone. */
    dev_record moves[] = {
        {.op = DEV_OP_LAUNCH, .kernel = "k", .result = &a},
        {.op = DEV_OP_D2D, .bytes = 1000, .read_sectors = 32, .write_sectors = 33},
        {.op = DEV_OP_MEMSET, .bytes = 129, .write_sectors = 5},
        /* over the link: no loads and stores */
        {.op = DEV_OP_H2D, .bytes = 4096, .write_sectors = 128, .read_sectors = 1},
        {.op = DEV_OP_D2H, .bytes = 4096, .read_sectors = 128, .write_sectors = 1},
        {.op = DEV_OP_PAGES_IN, .bytes = 4096, .read_sectors = 1, .write_sectors = 1},
        {.op = DEV_OP_PAGES_OUT, .bytes = 4096, .read_sectors = 1, .write_sectors = 1},
        {.op = DEV_OP_MALLOC, .bytes = 4096, .read_sectors = 1, .write_sectors = 1},
    };
    log = (grade_call_log){.records = moves, .count = sizeof moves / sizeof *moves};
    static const struct {
        const char *name, *kernel;
        double value;
    } moved[] = {{"gld_sectors", NULL, 72},
                 {"gst_sectors", NULL, 38},
                 {"dram_read", NULL, 1024},
                 {"dram_write", NULL, 38 * 32},
                 {"gld_requests", NULL, 10},
                 {"gst_requests", NULL, 0},
                 {"gld_bytes", NULL, 1280},
                 {"gst_bytes", NULL, 0},
                 {"gld_sectors", "k", 40},
                 {"dram_read", "k", 0},
                 {"global_loads", NULL, 18},
                 {"global_load_sectors", NULL, 72},
                 {"global_load_bytes", NULL, 2280},
                 {"global_stores", NULL, 10},
                 {"global_store_sectors", NULL, 38},
                 {"global_store_bytes", NULL, 1129},
                 {"global_loads", "k", 10},
                 {"gld_sectors_per_request", NULL, 72.0 / 18},
                 {"gst_sectors_per_request", NULL, 38.0 / 10},
                 {"gst_efficiency_pct", NULL, 100 * 1129.0 / (38 * 32)},
                 {"gld_efficiency_pct", NULL, 100 * 2280.0 / (72 * 32)}};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        grade_goal g = {
            .kind = GRADE_GOAL_COUNTER, .name = moved[i].name, .kernel = moved[i].kernel};
        double v = -1;
        printf("# %s\n", moved[i].name);
        CHECK_INT(grade_metric(&g, &log, &v), METRIC_OK);
        CHECK_NEAR(v, moved[i].value, 1e-9);
    }
    /* all figures at once, under the same names */
    grade_result result = {.figures = {NULL, grade_figures(&log)}};
    double v = -1;
    CHECK(grade_figure(&result, true, "gld_sectors", &v) && v == 72);
    CHECK(grade_figure(&result, true, "launches", &v) && v == 1);
    CHECK(!grade_figure(&result, true, "nothing", &v));
    CHECK(!grade_figure(&result, false, "launches", &v));
    /* where nothing was launched there is no figure of launches; no conflict is none */
    CHECK(grade_figure(&result, true, "shared_ld_conflicts_per_request", &v) && v == 0);
    grade_result none_at_all = {
        .figures = {grade_figures(&(grade_call_log){.records = r + 3, .count = 1})}};
    CHECK(!grade_figure(&none_at_all, false, "gld_sectors", &v));
    CHECK(!grade_figure(&none_at_all, false, "registers", &v));
    CHECK(grade_figure(&none_at_all, false, "syncs", &v) && v == 1);
    free(none_at_all.figures[0]);
    /* A ratio stands beside the kernel's own requests: there were none, whatever a copy moved. */
    sim_result no_loads = {.counters = {.gst_requests = 2, .gst_sectors = 8}};
    dev_record copied[2] = {
        {.op = DEV_OP_LAUNCH, .result = &no_loads},
        {.op = DEV_OP_D2D, .bytes = 128, .read_sectors = 4, .write_sectors = 4}};
    grade_result beside_a_copy = {
        .figures = {grade_figures(&(grade_call_log){.records = copied, .count = 2})}};
    CHECK(grade_figure(&beside_a_copy, false, "gld_requests", &v) && v == 0);
    CHECK(grade_figure(&beside_a_copy, false, "gld_sectors", &v) && v == 4);
    CHECK(!grade_figure(&beside_a_copy, false, "gld_sectors_per_request", &v));
    CHECK(!grade_figure(&beside_a_copy, false, "gld_efficiency_pct", &v));
    free(beside_a_copy.figures[0]);
    double *copy = grade_figures_copy(result.figures[1]);
    for (size_t i = 0; i < sim_counter_count() + grade_metric_count(); i++)
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        if (memcmp(&copy[i], &result.figures[1][i], sizeof *copy)) CHECK(false);
    free(copy);
    free(result.figures[1]);
    CHECK(grade_metric_at(grade_metric_count()) == NULL);
    CHECK_STR(grade_metric_at(grade_metric_count() - 1)->name, "kernels_at_once_avg");
}

/* Relations, with room for rounding and for no more; the curve of points. */
static void relations(void) {
    static const struct {
        double v;
        bool le, lt, eq, ge, gt;
    } rows[] = {
        {9.9, true, true, false, false, false},       {9.9999, true, true, false, false, false},
        {10, true, false, true, true, false},         {10.0001, false, false, false, true, true},
        {10 + 1e-10, true, false, true, true, false}, {10 - 1e-10, true, false, true, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(grade_holds(rows[i].v, GRADE_LE, 10), rows[i].le);
        CHECK_INT(grade_holds(rows[i].v, GRADE_LT, 10), rows[i].lt);
        CHECK_INT(grade_holds(rows[i].v, GRADE_EQ, 10), rows[i].eq);
        CHECK_INT(grade_holds(rows[i].v, GRADE_GE, 10), rows[i].ge);
        CHECK_INT(grade_holds(rows[i].v, GRADE_GT, 10), rows[i].gt);
        CHECK_INT(grade_holds(-rows[i].v, GRADE_GE, -10), rows[i].le);
        CHECK_INT(grade_holds(-rows[i].v, GRADE_LT, -10), rows[i].gt);
    }
    CHECK(grade_holds(0, GRADE_EQ, 0) && !grade_holds(1e-300, GRADE_EQ, 0));
    CHECK(!grade_holds(NAN, GRADE_LE, 1) && !grade_holds(NAN, GRADE_GE, 1));
    static const char *const text[] = {"<=", "<", "==", ">=", ">"};
    for (int k = GRADE_LE; k <= GRADE_GT; k++)
        CHECK_STR(grade_relation_text((grade_relation)k), text[k]);
    /* full marks at twice as fast, none at once as fast: the time goes from 1 to 1/2 */
    CHECK_NEAR(grade_curve(2, 2, 1), 1, 0);
    CHECK_NEAR(grade_curve(3, 2, 1), 1, 0);
    CHECK_NEAR(grade_curve(1, 2, 1), 0, 0);
    CHECK_NEAR(grade_curve(0.5, 2, 1), 0, 0);
    CHECK_NEAR(grade_curve(4.0 / 3, 2, 1), 0.5, 1e-12); /* time 3/4: half way */
    CHECK_NEAR(grade_curve(8.0 / 7, 2, 1), 0.25, 1e-12);
    CHECK_NEAR(grade_curve(1.5, 2, 2), 0, 0); /* no curve at all */
    CHECK_NEAR(grade_curve(3, 2, 2), 0, 0);
    CHECK_NEAR(grade_curve(3, 2, 0), 0, 0);
    CHECK_NEAR(grade_curve(3, 0, 1), 0, 0);
    CHECK_NEAR(grade_curve(3, 2, -1), 0, 0);
}

/* Every counter and every figure of a call is known, with the unit of its row. */
static void names(void) {
    size_t counters = sim_counter_count(), all = counters + grade_metric_count();
    for (size_t i = 0; i < all; i++) {
        const sim_counter_info *info =
            i < counters ? sim_counter_at(i) : grade_metric_at(i - counters);
        CHECK(grade_metric_known(info->name));
        CHECK_STR(grade_metric_unit(info->name), info->unit);
        CHECK_STR(grade_unit_word(info->unit, LIB_EN, true), info->unit);
        CHECK_STR(grade_unit_word(info->unit, LIB_EN, false), info->unit);
    }
    CHECK_STR(grade_metric_unit("warp_inst"), "instructions"); /* the first row of counters.def */
    CHECK(!grade_metric_known("") && !grade_metric_known("warp_ins"));
    CHECK_STR(grade_metric_unit("warp_ins"), "");
    CHECK_STR(grade_unit_word("furlongs", LIB_ZH, true), "furlongs");
}

int main(void) {
    names();
    named_kernels();
    overlap();
    calls();
    threads();
    each_call_metric();
    whole_calls();
    occupied_together();
    counters();
    relations();
    return check_done();
}
