/* What no device can do, and what is measured of two programs' calls (grader/run/measure.c), from
 * logs made by hand. The device has round figures: 1000 GB/s, half of which a copy reaches, and 10
 * multiprocessors of 4 FP32 warp instructions a cycle at 2 GHz: 10 * 4 * 32 * 2 * 2 = 5120
 * GFLOP/s. */
#include "fake_device.h"
#include "grader/judge/metrics.h"
#include "grader/judge/result_fill.h"
#include "grader/run/run.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "runner/device/sim/profile.h"
#include "tests/check.h"
#include "tests/said.h"

static const sim_profile device = {.sms = 10,
                                   .rate_fp32 = 4,
                                   .clock_ghz = 2,
                                   .dram_gbs = 1000,
                                   .dram_efficiency = 0.5,
                                   .l2_bytes = 1000000,
                                   .h2d_pinned_gbs = 50,
                                   .d2h_pinned_gbs = 40};

static grade_result r;
static grade_options options;
static run fresh(const grade_lab *lab) {
    grade_result_free(&r);
    options = (grade_options){.device = "sim:x"};
    grade_result_init(&r, lab, &options);
    r.verdict = GRADE_PASS;
    return (run){.lab = lab, .o = &options, .r = &r};
}

static void peaks(void) {
    grade_evidence e = {.copy_gbs = -1, .fp32_gflops = -2};
    const grade_lab none = {.id = "x"};
    run u = fresh(&none);
    fake_profile = NULL;
    run_device_peaks(&u, &e);
    CHECK(e.copy_gbs == -1 && e.fp32_gflops == -2); /* of a device that nothing is known of */
    fake_profile = &device;
    run_device_peaks(&u, &e);
    CHECK_NEAR(e.copy_gbs, 500, 0);
    CHECK_NEAR(e.fp32_gflops, 5120, 0);
}

#define COPY "copy bandwidth"
#define FP32 "FP32 peak"
/* 5 % more than the peak are let pass. 1 MB of the outputs may stay in the L2, and all inputs of a
 * warm run. */
static void too_good(void) {
    static const struct {
        const char *goal;
        double in, out, flops, us;
        bool warm, known;
        const char *what; /* NULL: it can be */
        int percent;
    } rows[] = {
        {"copy", 500e3, 0, 0, 1, false, true, NULL, 0},
        {"copy", 525e3, 0, 0, 1, false, true, NULL, 0},
        {"copy", 526e3, 0, 0, 1, false, true, COPY, 105},
        {"copy", 600e3, 0, 0, 1, false, true, COPY, 120},
        {"copy", 525e3, 1000001, 0, 1, false, true, COPY, 105}, /* one byte more */
        {"copy", 600e3, 0, 0, 0.5, false, true, COPY, 240},
        {"copy", 600e3, 0, 0, 2, false, true, NULL, 0},
        {"copy", 600e3, 0, 0, 1, true, true, NULL, 0},
        {"copy", 600e3, 0, 0, 1, false, false, NULL, 0},
        {"copy", 600e3, 0, 0, 0, false, true, NULL, 0},
        {"copy", 600e3, 0, 0, -1, false, true, NULL, 0},
        {"copy", 0, 1500e3, 0, 1, false, true, NULL, 0},
        {"copy", 0, 1600e3, 0, 1, false, true, COPY, 120},
        {"copy", 0, 1600e3, 0, 1, true, true, COPY, 120},
        {"copy", 600e3, 999e3, 0, 1, false, true, COPY, 120},
        {"copy", 600e3, 1600e3, 0, 1, false, true, COPY, 240},
        {"copy", 0, 0, 1e9, 1, false, true, NULL, 0},
        {"fp32", 0, 0, 5376e3, 1, false, true, NULL, 0},
        {"fp32", 0, 0, 5400e3, 1, false, true, FP32, 105},
        {"fp32", 0, 0, 10240e3, 1, true, true, FP32, 200},
        {"fp32", 0, 0, 10240e3, 2, true, true, NULL, 0},
        {"fp32", 1e9, 1e9, 0, 1, false, true, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal goals[] = {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors"},
                              {.kind = GRADE_GOAL_FRACTION, .name = rows[i].goal},
                              {.kind = GRADE_GOAL_SPEEDUP}};
        grade_lab lab = {.id = "x", .goals = goals, .goal_count = 3, .warm = rows[i].warm};
        grade_buffers b = {.in_bytes = rows[i].in, .out_bytes = rows[i].out};
        run u = fresh(&lab);
        char en[200] = "", zh[200] = "";
        u.useful_flops = rows[i].flops;
        u.hidden = true;
        fake_profile = rows[i].known ? &device : NULL;
        run_check_peaks(&u, &b, rows[i].us);
        if (rows[i].what) {
            snprintf(en, sizeof en,
                     "%d%% of the device's %s were reached, which is impossible: a person should "
                     "look at this submission.",
                     rows[i].percent, rows[i].what);
            snprintf(zh, sizeof zh, "达到了设备%s的 %d%%，这不可能：请人工检查这份提交。",
                     !strcmp(rows[i].what, FP32) ? "单精度峰值" : "拷贝带宽", rows[i].percent);
        }
        printf("# row %zu\n", i);
        CHECK_INT(r.verdict, rows[i].what ? GRADE_SUSPECT : GRADE_PASS);
        CHECK_STR(said(&r.message), en);
        CHECK_STR(said_zh(&r.message), zh);
        CHECK_INT(r.message_hidden, rows[i].what != NULL);
        CHECK(!u.stopped);
    }
    /* A device whose peak is 0 has none. */
    static const sim_profile dull = {.dram_gbs = 1000};
    grade_goal goal = {.kind = GRADE_GOAL_FRACTION, .name = "copy"};
    grade_lab lab = {.id = "x", .goals = &goal, .goal_count = 1};
    run u = fresh(&lab);
    fake_profile = &dull;
    run_check_peaks(&u, &(grade_buffers){.in_bytes = 1e9}, 1);
    CHECK_INT(r.verdict, GRADE_PASS);
}

/* The longest launch; or what all ask of one unit together: memory, the FP32 units, either way of
 * the link. */
static void floors(void) {
    enum { MOST = 4 };
    static const struct {
        struct {
            dev_op op;
            double longest, dram, fp32; /* 0, 0, 0: a record without a result */
            uint64_t read, write, bytes;
        } of[MOST];
        bool known;
        double us;
    } rows[] = {
        {{{DEV_OP_LAUNCH, 60, 1, 2, 0, 0, 0}, {DEV_OP_LAUNCH, 40, 1, 2, 0, 0, 0}}, true, 60},
        {{{DEV_OP_LAUNCH, 40, 1, 2, 0, 0, 0}, {DEV_OP_LAUNCH, 60, 1, 2, 0, 0, 0}}, false, 60},
        {{{DEV_OP_LAUNCH, 60, 50, 2, 0, 0, 0}, {DEV_OP_LAUNCH, 40, 30, 2, 0, 0, 0}}, false, 80},
        {{{DEV_OP_LAUNCH, 60, 50, 45, 0, 0, 0}, {DEV_OP_LAUNCH, 40, 30, 55, 0, 0, 0}}, true, 100},
        /* sectors of 32 bytes at 1000 GB/s: 31250 of them are 1 us */
        {{{DEV_OP_D2D, 0, 0, 0, 312500, 125000, 7}}, true, 14},
        {{{DEV_OP_D2D, 0, 0, 0, 312500, 125000, 7}}, false, 0},
        {{{DEV_OP_LAUNCH, 1, 2, 0, 0, 0, 0}, {DEV_OP_MEMSET, 0, 0, 0, 0, 125000, 7}}, true, 6},
        /* 50 and 40 GB/s: 1 MB takes 20 and 25 us */
        {{{DEV_OP_H2D, 0, 0, 0, 0, 0, 1000000}, {DEV_OP_H2D, 0, 0, 0, 0, 0, 500000}}, true, 30},
        {{{DEV_OP_D2H, 0, 0, 0, 0, 0, 1000000}, {DEV_OP_D2H, 0, 0, 0, 0, 0, 500000}}, true, 37.5},
        {{{DEV_OP_H2D, 0, 0, 0, 0, 0, 1000000}, {DEV_OP_D2H, 0, 0, 0, 0, 0, 1000000}}, true, 25},
        {{{DEV_OP_H2D, 0, 0, 0, 0, 0, 1000000}, {DEV_OP_D2H, 0, 0, 0, 0, 0, 100000}}, true, 20},
        {{{DEV_OP_H2D, 0, 0, 0, 0, 0, 1000000}}, false, 0},
        {{{DEV_OP_D2D, 0, 0, 0, 0, 0, 1000000}}, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const grade_lab none = {.id = "x"};
        run u = fresh(&none);
        dev_record records[MOST] = {0};
        sim_result results[MOST] = {0};
        size_t n = 0;
        for (; n < MOST && (rows[i].of[n].op || rows[i].of[n].longest || rows[i].of[n].bytes);
             n++) {
            records[n] = (dev_record){.op = rows[i].of[n].op,
                                      .read_sectors = rows[i].of[n].read,
                                      .write_sectors = rows[i].of[n].write,
                                      .bytes = rows[i].of[n].bytes};
            results[n].time_floor_us = rows[i].of[n].longest;
            results[n].dram_floor_us = rows[i].of[n].dram;
            results[n].fp32_floor_us = rows[i].of[n].fp32;
            if (rows[i].of[n].longest > 0) records[n].result = &results[n];
        }
        grade_call_log log = {.records = records, .count = n};
        fake_profile = rows[i].known ? &device : NULL;
        run_check_floor(&u, &log, 1e9);
        printf("# row %zu\n", i);
        CHECK_NEAR(r.floor_us, rows[i].us, 1e-9);
        CHECK_INT(r.verdict, GRADE_PASS);
    }
}

/* Sixteen launches that keep a unit busy for half of 10 us each: 80 us, whatever runs beside
 * what. */
static void units(void) {
    enum { LAUNCHES = 16 };
    for (unsigned k = 0; k < SIM_UNIT_COUNT; k++) {
        const grade_lab none = {.id = "x"};
        run u = fresh(&none);
        dev_record records[LAUNCHES] = {0};
        sim_result result = {.time_us = 10, .time_floor_us = 5};
        result.busy[k] = 0.5;
        for (unsigned i = 0; i < LAUNCHES; i++)
            records[i] = (dev_record){.op = DEV_OP_LAUNCH, .result = &result};
        grade_call_log log = {.records = records, .count = LAUNCHES};
        fake_profile = &device;
        run_check_floor(&u, &log, 60);
        CHECK_NEAR(r.floor_us, 80, 1e-9);
        CHECK_INT(r.verdict, GRADE_SUSPECT);
    }
}

/* 5 % less than the floor are let pass. Where nothing was counted, the floor of the same submission
 * where it was. */
static void below_the_floor(void) {
    static const struct {
        double floor, explained, us;
        bool suspect;
    } rows[] = {{100, 0, 100, false}, {100, 0, 95, false},  {100, 0, 94.9, true},
                {100, 0, 0, true},    {0, 0, 0, false},     {0, 100, 95, false},
                {0, 100, 94.9, true}, {100, 1, 94.9, true}, {1, 100, 94.9, false},
                {0, 0, -1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const grade_lab none = {.id = "x"};
        run u = fresh(&none);
        grade_result counted = {.floor_us = rows[i].explained};
        sim_result result = {.time_floor_us = rows[i].floor};
        dev_record record = {.op = DEV_OP_LAUNCH, .result = &result};
        grade_call_log log = {.records = &record, .count = 1};
        if (rows[i].explained > 0) options.explained = &counted;
        r.floor_us = 7;
        run_check_floor(&u, &log, rows[i].us);
        printf("# row %zu\n", i);
        CHECK_INT(r.verdict, rows[i].suspect ? GRADE_SUSPECT : GRADE_PASS);
        CHECK_NEAR(r.floor_us, rows[i].floor > 0 ? rows[i].floor : 7, 0);
        if (!rows[i].suspect) continue;
        char en[300], zh[300];
        snprintf(en, sizeof en,
                 "the time of %s us is below 100 us, the least that the device's peak bandwidth "
                 "and issue rate allow: a person should look at this submission.",
                 rows[i].us > 0 ? "94.9" : "0");
        snprintf(zh, sizeof zh,
                 "用时 %s 微秒低于设备峰值带宽与发射速率所允许的 100 微秒：请人工检查这份提交。",
                 rows[i].us > 0 ? "94.9" : "0");
        CHECK_STR(said(&r.message), en);
        CHECK_STR(said_zh(&r.message), zh);
    }
}

/* ---- of both programs' calls */

/* Two launches, of which the second has a result, and a copy. */
static dev_client *called(const char *kernel, double us, uint64_t sectors, uint64_t flops) {
    lib_message msg;
    dev_client *c = dev_client_new(NULL, 0, &msg);
    fake_launch(c, "first", us)->counters.gld_sectors = 1;
    c->log[0].result = NULL;
    sim_result *s = fake_launch(c, kernel, 2 * us);
    s->counters.gld_sectors = sectors;
    s->counters.flop_sp = flops;
    s->counters.atom_global_lanes = sectors / 10;
    fake_record(c, DEV_OP_H2D, us, 8);
    return c;
}

static void both(void) {
    static const struct {
        grade_goal goal;
        double mine, base;
        metric_status mine_is, base_is;
    } rows[] = {
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .relation = GRADE_GE}, 50, 400, 0, 0},
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .relation = GRADE_GE, .kernel = "m*"},
         50,
         400,
         0,
         0}, /* the baseline's has another name */
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .relation = GRADE_GE, .kernel = "z"},
         0,
         400,
         METRIC_NO_LAUNCH,
         0},
        /* measured against a kernel of its own */
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .kernel = "m*", .than = "m*"},
         50,
         50,
         0,
         0},
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .kernel = "mine", .than = "z"},
         50,
         0,
         0,
         METRIC_NO_LAUNCH},
        {{.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .kernel = "first"},
         0,
         0,
         METRIC_UNDEFINED,
         METRIC_UNDEFINED}, /* nothing was counted of it */
        {{.kind = GRADE_GOAL_COUNTER, .name = "launches"}, 2, 2, 0, 0},
        {{.kind = GRADE_GOAL_COUNTER, .name = "none"}, 0, 0, METRIC_UNKNOWN, METRIC_UNKNOWN},
        {{.kind = GRADE_GOAL_SPEEDUP}, -1, -1, 0, 0}, /* not a counter's */
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    for (int how = 0; how < 3; how++) { /* 1: the whole call's time, 2: counted elsewhere */
        grade_goal goals[ROWS];
        grade_metric_value mine[ROWS], base[ROWS];
        for (size_t i = 0; i < ROWS; i++) {
            goals[i] = rows[i].goal;
            mine[i] = base[i] = (grade_metric_value){.status = METRIC_OK, .value = -1};
        }
        const grade_lab lab = {
            .id = "x", .goals = goals, .goal_count = ROWS, .host_time = how == 1};
        grade_buffers b = {.in_bytes = 300, .out_bytes = 40};
        grade_result counted = {0};
        run u = fresh(&lab);
        counted.baseline_counters.flop_sp = 99;
        if (how == 2) options.explained = &counted;
        u.mine = mine, u.base = base;
        u.replay = how == 1;
        u.student.client = called("mine", 5, 50, 1000);
        u.baseline.client = called("base", 10, 400, 4000);
        fake_profile = NULL;
        for (int again = 0; again < 2; again++) run_take_metrics(&u, &b); /* nothing adds up */
        for (size_t i = 0; i < ROWS; i++) {
            bool judged = goals[i].kind == GRADE_GOAL_COUNTER && how != 2;
            printf("# %d, goal %zu\n", how, i);
            CHECK_INT(mine[i].status, judged ? rows[i].mine_is : METRIC_OK);
            CHECK_INT(base[i].status, judged ? rows[i].base_is : METRIC_OK);
            CHECK_NEAR(mine[i].value, judged ? rows[i].mine : -1, 0);
            CHECK_NEAR(base[i].value, judged ? rows[i].base : -1, 0);
        }
        /* 5 + 10 + 5 and twice as much; the fake device's calls take 100 more than its work */
        CHECK_NEAR(r.time_us, how == 1 ? 120 : 20, 0);
        CHECK_NEAR(r.baseline_us, how == 1 ? 140 : 40, 0);
        CHECK_NEAR(r.speedup, how == 1 ? 140.0 / 120 : 2, 0);
        CHECK_INT(r.baseline_counters.gld_sectors, 400);
        CHECK_NEAR(u.useful_bytes, 340, 0);
        CHECK_NEAR(u.useful_flops, how == 2 ? 99 : 4000, 0);
        CHECK(u.measured);
        double v = 0;
        CHECK_INT(grade_figure(&r, false, "gld_sectors", &v), how != 2);
        if (how != 2) CHECK_NEAR(v, 50, 0);
        CHECK_INT(grade_figure(&r, true, "gld_sectors", &v), how != 2);
        if (how != 2) CHECK_NEAR(v, 400, 0);
        CHECK_INT(r.op_count, how == 1 ? 0 : 3); /* of a replay none are kept */
        CHECK_INT(r.verdict, GRADE_PASS);
        dev_client_free(u.student.client);
        dev_client_free(u.baseline.client);
    }
}

int main(void) {
    peaks();
    too_good();
    floors();
    units();
    below_the_floor();
    both();
    grade_result_free(&r);
    return check_done();
}
