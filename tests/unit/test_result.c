/* What a result keeps of a device's log (result.c): its own copies, added up by site, line and
 * launch. The records are made by hand. */
#include <stdlib.h>
#include "grader/judge/metrics.h"
#include "grader/judge/result_fill.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "runner/base/say.h"
#include "tests/check.h"
#include "tests/said.h"

static const grade_goal goals[] = {{.kind = GRADE_GOAL_CORRECT, .points = 4, .threshold = 3},
                                   {.kind = GRADE_GOAL_ANSWER, .points = 1, .threshold = 3},
                                   {.kind = GRADE_GOAL_SPEEDUP, .points = 2.5, .threshold = 3}};
static const grade_lab lab = {.id = "x", .goals = goals, .goal_count = 3};

static grade_result begin(void) {
    grade_result r;
    grade_options o = {.device = "sim:h200", .seed = 7, .secret = 8};
    grade_result_init(&r, &lab, &o);
    return r;
}

static const char *result_said(const grade_result *r, lib_lang lang) {
    static char text[200];
    return lib_words_text(text, sizeof text, lang, grade_result_said(r));
}

static void life(void) {
    grade_result r = begin();
    CHECK_STR(r.device, "sim:h200");
    CHECK(r.seed == 7 && r.secret == 8 && r.build_ok && r.verdict == GRADE_FAIL);
    CHECK(r.lab == &lab && r.goal_count == 3 && r.max_score == 7.5);
    static const double expected[] = {1, 1, 3};
    for (size_t i = 0; i < 3; i++) {
        CHECK(r.goals[i].goal == &goals[i] && r.goals[i].expected == expected[i]);
        CHECK_STR(said(&r.goals[i].message), "not judged");
        CHECK_STR(said_zh(&r.goals[i].message), "未评判");
        r.goals[i].pass = true, r.goals[i].points = 1;
    }
    r.score = 3;
    grade_result_fail(&r, lib_words_plain((lib_texts){{"it ended"}}), NULL);
    CHECK(r.build_ok && r.score == 0 && !r.build_log);
    CHECK_STR(said_zh(&r.message), "it ended");
    for (size_t i = 0; i < 3; i++) {
        CHECK(!r.goals[i].pass && r.goals[i].points == 0);
        CHECK_STR(said(&r.goals[i].message), "not judged: it ended");
        CHECK_STR(said_zh(&r.goals[i].message), "未评判：it ended");
    }
    grade_result_fail(&r, lib_words_plain((lib_texts){{"it ended", "结束"}}), "x.cu(1): error");
    grade_result_fail(&r, lib_words_plain((lib_texts){{"it ended", "结束"}}), "x.cu(2): error");
    CHECK(!r.build_ok);
    CHECK_STR(r.build_log, "x.cu(2): error");
    CHECK_STR(said(&r.goals[2].message), "not judged: the file does not compile");
    CHECK_STR(said_zh(&r.goals[2].message), "未评判：文件无法编译");
    /* What a student may read of it. */
    CHECK_STR(result_said(&r, LIB_EN), "it ended");
    CHECK_STR(result_said(&r, LIB_ZH), "结束");
    r.message_hidden = true;
    CHECK_STR(result_said(&r, LIB_EN), "The program did not end normally in a hidden case.");
    CHECK_STR(result_said(&r, LIB_ZH), "程序在一个隐藏用例中没有正常结束。");
    r.verdict = GRADE_ERROR;
    CHECK_STR(result_said(&r, LIB_EN), "What happened in a hidden case kept this from being "
                                       "graded; instructors see the reason.");
    r.message = (lib_message){0};
    CHECK_STR(result_said(&r, LIB_EN), "");
    grade_result_free(&r);
    CHECK(!r.goals && !r.goal_count && !r.build_log);
    static const char *const names[] = {"pass", "fail", "error", "ambiguous", "suspect"};
    for (int v = 0; v < 5; v++) CHECK_STR(grade_verdict_name((grade_verdict)v), names[v]);
}

/* One entry a site; 64 sites; what is of a hidden case stands behind the public ones. */
static void findings(void) {
    grade_result r = begin();
    char name[] = "kernel";
    sim_finding f = {.kind = SIM_FIND_RACE, .count = 2, .kernel = name, .line = 5, .other_line = 6};
    result_add_findings(&r, &f, 1);
    f.count = 3, f.across = true;
    result_add_findings(&r, &f, 1);
    name[0] = 'K';
    CHECK_INT(r.finding_count, 1);
    CHECK(r.findings[0].count == 5 && r.findings[0].across);
    CHECK_STR(r.findings[0].kernel, "kernel");
    CHECK_STR(r.findings[0].file, "");
    /* Each of these is another site. */
    name[0] = 'k';
    sim_finding other[7] = {f, f, f, f, f, f, f};
    other[0].kind = SIM_FIND_OOB, other[1].line++, other[2].other_line++, other[3].write = true;
    other[4].file = "a.cu", other[5].kernel = "m", other[6].alloc_name = "x";
    result_add_findings(&r, other, 7);
    CHECK_INT(r.finding_count, 8);
    result_add_findings(&r, other, 7);
    CHECK_INT(r.finding_count, 8);
    for (size_t i = 1; i < 8; i++) CHECK_INT(r.findings[i].count, 6);
    for (unsigned i = 0; i < 80; i++) {
        f.line = 100 + i;
        result_add_findings(&r, &f, 1);
    }
    CHECK_INT(r.finding_count, 64);
    CHECK_INT(r.findings[63].line, 155); /* 8 and 56 of the 80 */
    r.finding_public = 2;
    CHECK(!grade_finding_hidden(&r, 5)); /* no hidden case was run */
    r.cases = calloc(2, sizeof *r.cases);
    r.case_count = 2;
    r.cases[0].hidden = true;
    CHECK(!grade_finding_hidden(&r, 1) && grade_finding_hidden(&r, 2));
    grade_result_free(&r);
    for (int k = 0; k < SIM_FIND_COUNT; k++)
        CHECK_INT(grade_finding_forbids((sim_finding_kind)k),
                  k != SIM_FIND_LEAK && k != SIM_FIND_UNSUPPORTED && k != SIM_FIND_CALL);
}

/* Texts are kept once each. */
static void strings(void) {
    grade_result r = begin();
    const char *a = result_string(&r, "a"), *b = result_string(&r, "b");
    CHECK(a != b && result_string(&r, "a") == a && result_string(&r, "b") == b);
    CHECK_INT(r.string_count, 2);
    CHECK_STR(result_string(&r, NULL), "");
    CHECK_STR(result_string(&r, ""), "");
    CHECK_INT(r.string_count, 2);
    grade_result_free(&r);
}

static void launches(void) {
    sim_kernel_info info = {.registers = 40, .static_shared = 100, .name = "_Z1k"};
    sim_line lines[] = {
        {.file = "b.cu", .line = 2, .counters = {.gld_sectors = 1}, .stall_us = {1, 2}},
        {.file = "a.cu", .line = 9, .counters = {.gld_sectors = 10}},
        {.file = "b.cu", .line = 1, .counters = {.gld_sectors = 100}}};
    sim_result s = {.counters = {.gld_sectors = 111},
                    .limiter = "dram",
                    .occupancy = {.blocks = 3, .pct = 75, .limiter = "warps"},
                    .achieved_occupancy_pct = 50,
                    .lines = lines,
                    .line_count = 3};
    dev_record log[] = {{.op = DEV_OP_H2D, .end_us = 9},
                        {.op = DEV_OP_LAUNCH,
                         .kernel = "k(int)",
                         .grid = {2, 3, 5},
                         .block = {7, 11, 13},
                         .dynamic_shared = 28,
                         .start_us = 10,
                         .end_us = 14,
                         .info = &info,
                         .result = &s},
                        {.op = DEV_OP_LAUNCH, .start_us = 20, .end_us = 21, .dynamic_shared = 8},
                        {.op = DEV_OP_LAUNCH,
                         .kernel = "k(int)",
                         .start_us = 30,
                         .end_us = 32,
                         .info = &info,
                         .result = &s}};
    grade_result r = begin();
    for (int again = 0; again < 2; again++) { /* the second takes the place of the first */
        result_set_launches(&r, log, 4);
        CHECK_INT(r.launch_count, 3);
        const grade_launch *l = r.launches;
        if (!l) return;
        CHECK_STR(l[0].kernel, "k(int)");
        static const unsigned grid[] = {2, 3, 5}, block[] = {7, 11, 13};
        CHECK(!memcmp(l[0].grid, grid, sizeof grid) && !memcmp(l[0].block, block, sizeof block));
        CHECK(l[0].registers == 40 && l[0].shared == 128 && l[0].time_us == 4);
        CHECK(l[0].occupancy.blocks == 3 && l[0].occupancy.pct == 75 &&
              l[0].achieved_occupancy_pct == 50);
        CHECK_STR(l[0].occupancy.limiter, "warps");
        CHECK_STR(l[0].limiter, "dram");
        CHECK_STR(l[1].kernel, "");
        CHECK(l[1].registers == 0 && l[1].shared == 8 && l[1].time_us == 1 && !*l[1].limiter);
        CHECK(l[2].time_us == 2);
        CHECK_INT(r.counters.gld_sectors, 222);
        /* by file, then by line, both launches' added up */
        CHECK_INT(r.line_count, 3);
        CHECK_STR(r.lines[0].file, "a.cu");
        CHECK(r.lines[0].line == 9 && r.lines[0].counters.gld_sectors == 20);
        CHECK(r.lines[1].line == 1 && r.lines[1].counters.gld_sectors == 200);
        CHECK(r.lines[2].line == 2 && r.lines[2].counters.gld_sectors == 2);
        CHECK(r.lines[2].stall_us[0] == 2 && r.lines[2].stall_us[1] == 4);
    }
    CHECK(!r.costs && !r.ptx);
    /* As many as are kept, and no more. */
    static dev_record many[GRADE_LAUNCHES + 1];
    for (size_t i = 0; i < GRADE_LAUNCHES + 1; i++)
        many[i] = (dev_record){.op = DEV_OP_LAUNCH, .end_us = (double)i};
    result_set_launches(&r, many, GRADE_LAUNCHES + 1);
    CHECK_INT(r.launch_count, GRADE_LAUNCHES);
    CHECK_INT(r.launches[GRADE_LAUNCHES - 1].time_us, GRADE_LAUNCHES - 1);
    CHECK_INT(r.line_count, 0);
    enum { LINES = 4096 };
    sim_line *all = calloc(LINES + 1, sizeof *all);
    for (unsigned i = 0; i <= LINES; i++) all[i] = (sim_line){.file = "a", .line = i};
    s.lines = all, s.line_count = LINES + 1;
    result_set_launches(&r, &log[1], 1);
    CHECK_INT(r.line_count, LINES);
    CHECK_INT(r.lines[LINES - 1].line, LINES - 1);
    free(all);
    grade_result_free(&r);
}

/* Operations that take the device's time, in their order; a kernel without its parameters. */
static void operations(void) {
    dev_record log[] = {{.op = DEV_OP_H2D, .stream = 2, .end_us = 1},
                        {.op = DEV_OP_LAUNCH, .kernel = "k(int)", .start_us = 1, .end_us = 3},
                        {.op = DEV_OP_MEMSET, .start_us = 3, .end_us = 4},
                        {.op = DEV_OP_MALLOC, .start_us = 4, .end_us = 9},
                        {.op = DEV_OP_D2D, .start_us = 4, .end_us = 4}};
    grade_result r = begin();
    for (int again = 0; again < 2; again++) {
        result_set_ops(&r, log, 5);
        CHECK(r.op_count == 3 && r.op_total == 3);
        CHECK(r.ops[0].op == DEV_OP_H2D && r.ops[0].stream == 2 && r.ops[0].start_us == 0 &&
              r.ops[0].end_us == 1);
        CHECK_STR(r.ops[0].kernel, "");
        CHECK(r.ops[1].start_us == 1 && r.ops[1].end_us == 3);
        CHECK_STR(r.ops[1].kernel, "k");
        CHECK(r.ops[2].op == DEV_OP_MEMSET);
    }
    static dev_record many[GRADE_OPS + 2];
    for (size_t i = 0; i < GRADE_OPS + 2; i++)
        many[i] = (dev_record){.op = DEV_OP_D2H, .end_us = 1};
    result_set_ops(&r, many, GRADE_OPS + 2);
    CHECK(r.op_count == GRADE_OPS && r.op_total == GRADE_OPS + 2);
    grade_result_free(&r);
}

/* What a launch pays for: each launch's time by the parts of the one that was asked. */
static void costs(void) {
    sim_line lines[] = {{.file = "a.cu", .line = 3}, {.file = "b.cu", .line = 4}};
    sim_what_if without[SIM_COST_COUNT], half[SIM_COST_COUNT];
    for (unsigned k = 0; k < SIM_COST_COUNT; k++)
        without[k] = half[k] = (sim_what_if){.time_us = 0.5};
    without[1] = (sim_what_if){
        .time_us = 0.125, .line_count = 3, .line = {1, 0, 2}, .part = {0.75f, 0.25f, 1}};
    half[1] = (sim_what_if){.time_us = 0.25, .line_count = 1, .line = {0}, .part = {0.5f}};
    sim_result asked = {.time_us = 0.5, .what_if = without, .lines = lines, .line_count = 2},
               other = {.time_us = 0.5, .what_if = half, .lines = lines, .line_count = 2},
               repeated = {.time_us = 1}, none = {.time_us = 0};
#define K(name, g, b)                                                                              \
    .op = DEV_OP_LAUNCH, .kernel = (name), .grid = {(g), 1, 1}, .block = {(b), 1, 1 }
    const dev_record log[] = {
        {K("k", 2, 32), .result = &asked},    {.op = DEV_OP_D2H, .kernel = "k", .result = &asked},
        {K("k", 2, 32), .result = &repeated}, /* as the first */
        {K("k", 3, 32), .result = &repeated}, /* nobody asked */
        {K("k", 2, 64), .result = &repeated}, {K("m", 2, 32), .result = &repeated},
        {K("k", 2, 32), .result = &none},     {K("k", 2, 32)},
        {K("m", 2, 32), .result = &other},    {K(NULL, 2, 32), .result = &repeated}};
    grade_result r = begin();
    for (int again = 0; again < 2; again++) {
        result_set_launches(&r, log, 10);
        if (!CHECK(r.costs != NULL)) return;
        /* 0.5 of the first, 1 of its repetition, 0.5 of m: three quarters, three quarters, a
         * half */
        CHECK_NEAR(r.costs_us, 2, 0);
        CHECK_NEAR(r.costs[1].saves_us, 0.375 + 0.75 + 0.25, 1e-12);
        CHECK_NEAR(r.costs[1].most_us, 0.75, 1e-12);
        CHECK_INT(r.costs[1].line_count, 2); /* the third is none of its lines */
        CHECK_STR(r.costs[1].file[0], "b.cu");
        CHECK_STR(r.costs[1].file[1], "a.cu");
        CHECK(r.costs[1].line[0] == 4 && r.costs[1].line[1] == 3);
        CHECK(r.costs[1].part[0] == 0.75 && r.costs[1].part[1] == 0.25);
        CHECK(r.costs[0].saves_us == 0 && r.costs[0].most_us == 0 && r.costs[0].line_count == 0);
    }
    /* Of launches that would save as much the first one's lines are shown. */
    half[1].time_us = 0.125;
    const dev_record tie[] = {log[0], log[8]};
    result_set_launches(&r, tie, 2);
    CHECK(r.costs && r.costs[1].most_us == 0.375 && r.costs[1].line_count == 2);
    result_set_launches(&r, log + 3, 3);
    CHECK(!r.costs && r.costs_us == 0);
    grade_result_free(&r);
}

/* Instructions of launches of one kernel are added up. */
static void instructions(void) {
    sim_kernel_info k = {.name = "_Z1k"}, m = {.name = "_Z1m"};
    sim_ptx_count rows[] = {{.ptx_line = 5, .line = 1, .file = "a.cu", .warps = 1, .lanes = 32},
                            {.ptx_line = 6, .line = 2, .warps = 2, .lanes = 3}};
    sim_result two = {.ptx = rows, .ptx_count = 2}, one = {.ptx = rows, .ptx_count = 1}, none = {0};
    const dev_record log[] = {{.op = DEV_OP_LAUNCH, .kernel = "k()", .info = &k, .result = &two},
                              {.op = DEV_OP_LAUNCH, .kernel = "m()", .info = &m, .result = &two},
                              {.op = DEV_OP_LAUNCH, .kernel = "m()", .info = &m, .result = &two},
                              {.op = DEV_OP_LAUNCH, .kernel = "m()", .info = &m, .result = &one},
                              {.op = DEV_OP_LAUNCH, .kernel = "m()", .info = &m, .result = &none},
                              {.op = DEV_OP_LAUNCH, .kernel = "m()", .result = &two}};
    grade_result r = begin();
    for (int again = 0; again < 2; again++) {
        result_set_launches(&r, log, 6);
        CHECK_INT(r.ptx_count, 3);
        static const struct {
            const char *kernel, *name;
            size_t count;
            unsigned times;
        } want[] = {{"k()", "_Z1k", 2, 1}, {"m()", "_Z1m", 2, 2}, {"m()", "_Z1m", 1, 1}};
        for (size_t i = 0; i < 3 && i < r.ptx_count; i++) {
            CHECK_STR(r.ptx[i].kernel, want[i].kernel);
            CHECK_STR(r.ptx[i].name, want[i].name);
            CHECK_INT(r.ptx[i].count, want[i].count);
            for (size_t x = 0; x < want[i].count; x++) {
                CHECK_STR(r.ptx[i].rows[x].file, x ? "" : "a.cu");
                CHECK_INT(r.ptx[i].rows[x].ptx_line, 5 + x);
                CHECK_INT(r.ptx[i].rows[x].warps, rows[x].warps * want[i].times);
                CHECK_INT(r.ptx[i].rows[x].lanes, rows[x].lanes * want[i].times);
            }
        }
    }
    sim_kernel_info infos[GRADE_KERNELS + 1];
    dev_record many[GRADE_KERNELS + 1];
    char names[GRADE_KERNELS + 1][8];
    for (int i = 0; i < GRADE_KERNELS + 1; i++) {
        SAY(names[i], "k%d", i);
        infos[i] = (sim_kernel_info){.name = names[i]};
        many[i] = (dev_record){.op = DEV_OP_LAUNCH, .info = &infos[i], .result = &two};
    }
    result_set_launches(&r, many, GRADE_KERNELS + 1);
    CHECK_INT(r.ptx_count, GRADE_KERNELS);
    CHECK_STR(r.ptx[GRADE_KERNELS - 1].name, "k15");
    grade_result_free(&r);
}

/* Times stay the GPU's, the rest is the simulated device's, as copies of its own. */
static void explained(void) {
    for (int more = 0; more < 2; more++) {
        grade_result r = begin(), by = begin();
        SAY(by.device, "sim:t4");
        by.baseline_counters.branches = 4;
        by.time_us = 5, by.speedup = 6, by.floor_us = 7;
        sim_line lines[] = {{.file = "a.cu", .line = 3}, {.file = "b.cu", .line = 4}};
        sim_what_if without[SIM_COST_COUNT] = {
            [2] = {.time_us = 0.5, .line_count = 1, .line = {1}, .part = {1}}};
        sim_result s = {.time_us = 2,
                        .limiter = "l2",
                        .achieved_occupancy_pct = 33,
                        .lines = lines,
                        .line_count = 2,
                        .what_if = without};
        const dev_record there[] = {{K("k", 1, 1), .end_us = 2, .result = &s},
                                    {K("k", 1, 1), .end_us = 2, .result = &s}},
                         here[] = {{K("k", 1, 1), .end_us = 9},
                                   {K("k", 1, 1), .end_us = 8},
                                   {K("k", 1, 1), .end_us = 7}};
        result_set_launches(&by, there, 2);
        by.counters.branches = 3;
        by.figures[1] = grade_figures(&(grade_call_log){.records = there, .count = 2});
        r.figures[0] =
            grade_figures(&(grade_call_log){.records = here, .count = 3}); /* its own go */
        sim_finding f = {.kind = SIM_FIND_OOB, .kernel = "k", .count = 1};
        result_add_findings(&by, &f, 1);
        result_set_launches(&r, here, more ? 3 : 2);
        result_explain(&r, &by);
        by.output_cut = true;
        grade_result_free(&by);
        CHECK_STR(r.counters_from, "sim:t4");
        CHECK(r.counters.branches == 3 && r.baseline_counters.branches == 4);
        CHECK(r.modelled_us == 5 && r.modelled_speedup == 6 && r.floor_us == 7);
        double v = 0;
        CHECK(!r.figures[0] && grade_figure(&r, true, "launches", &v) && v == 2);
        CHECK_INT(r.finding_count, 1);
        CHECK_STR(r.findings[0].kernel, "k");
        CHECK_INT(r.line_count, 2);
        CHECK_STR(r.lines[0].file, "a.cu");
        CHECK_STR(r.lines[1].file, "b.cu");
        CHECK_NEAR(r.costs_us, 4, 0);
        CHECK_NEAR(r.costs[2].saves_us, 3, 1e-12); /* 2 - 0.5, twice */
        CHECK_INT(r.costs[2].line_count, 1);
        CHECK_STR(r.costs[2].file[0], "b.cu");
        CHECK(r.launches[0].time_us == 9 && r.launches[1].time_us == 8);
        for (int i = 0; i < 2; i++) { /* where it made as many */
            CHECK_STR(r.launches[i].limiter, more ? "" : "l2");
            CHECK_NEAR(r.launches[i].achieved_occupancy_pct, more ? 0 : 33, 0);
        }
        grade_result_free(&r);
    }
}

int main(void) {
    life();
    findings();
    strings();
    launches();
    operations();
    costs();
    instructions();
    explained();
    return check_done();
}
