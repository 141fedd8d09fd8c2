/* From what was measured to points, messages and a verdict (goals.c), and what a result keeps of a
 * device's log (result.c). Evidence and records are made by hand; shares of points are those of
 * goal.h: linear in the time 1 / speed between none_at and full_at. */
#include <stdlib.h>
#include "grader/goal/goal.h"
#include "grader/judge/result_fill.h"
#include "grader/figure.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "runner/base/say.h"
#include "words/advice.h"
#include "tests/check.h"
#include "tests/said.h"

static grade_lab lab;
static grade_result begin(const grade_goal *goals, size_t n) {
    grade_result r;
    lab = (grade_lab){.id = "x", .goals = goals, .goal_count = n};
    grade_options o = {.device = "sim:h200", .seed = 7, .secret = 8};
    grade_result_init(&r, &lab, &o);
    return r;
}

/* ---- correct */

static void add_case(grade_result *r, bool hidden, bool pass, const char *en, const char *zh) {
    if (!r->cases) r->cases = calloc(4, sizeof *r->cases);
    grade_case_result *c = &r->cases[r->case_count++];
    *c = (grade_case_result){.hidden = hidden, .pass = pass};
    lib_message_set(&c->message, lib_words_plain((lib_texts){{en, zh}}));
}

static void correct(void) {
    enum { NONE, RIGHT, WRONG, WRONG_2, HIDDEN, HIDDEN_WRONG };
    static const char own[] = "Own.", own_zh[] = "自己。";
    sim_finding race = {.kind = SIM_FIND_RACE};
    static const struct {
        int cases[4];
        bool finding, hidden_finding, advised, said, pass;
        double actual;
        const char *en, *zh;
    } rows[] = {
        {{RIGHT},
         .pass = true,
         .actual = 1,
         .en = "1 case is right, with no memory error and no race.",
         .zh = "全部 1 个用例正确，没有内存错误，也没有竞争。"},
        {{RIGHT, RIGHT, HIDDEN},
         .pass = true,
         .advised = true,
         .actual = 1,
         .en = "All 3 cases are right, with no memory error and no race.",
         .zh = "全部 3 个用例正确，没有内存错误，也没有竞争。"},
        {{WRONG},
         .actual = 0,
         .en = "1 of 1 case fails. The first: bad",
         .zh = "1 个用例中有 1 个失败。第一个：坏"},
        {{RIGHT, WRONG},
         .actual = 0.5,
         .en = "1 of 2 cases fails. The first: bad",
         .zh = "2 个用例中有 1 个失败。第一个：坏"},
        {{WRONG_2, WRONG, RIGHT, HIDDEN_WRONG},
         .advised = true,
         .actual = 0.25,
         .en = "3 of 4 cases fail. The first: bad 2 Own.",
         .zh = "4 个用例中有 3 个失败。第一个：bad 2自己。"},
        {{HIDDEN_WRONG, WRONG_2},
         .actual = 0,
         .en = "2 of 2 cases fail. The first: bad 2",
         .zh = "2 个用例中有 2 个失败。第一个：bad 2"},
        {{RIGHT, HIDDEN_WRONG, HIDDEN_WRONG, HIDDEN},
         .actual = 0.5,
         .en = "The public cases pass, 2 hidden ones fail: try a size that the public cases do not "
               "have. "
               "Look at the bounds of every index, and at the last block.",
         .zh = "公开用例通过，但有 2 "
               "个隐藏用例失败：试试公开用例中没有的尺寸。检查每个下标的边界以及最后一个块。"},
        {{RIGHT},
         .finding = true,
         .actual = 1,
         .en = "Every output is right, by luck: a race",
         .zh = "所有输出都正确，但只是侥幸：一次竞争"},
        {{RIGHT, HIDDEN},
         .finding = true,
         .hidden_finding = true,
         .actual = 1,
         .en = "Every output is right, by luck: data race, in a hidden case",
         .zh = "所有输出都正确，但只是侥幸：数据竞争（在隐藏用例中）"},
        {{RIGHT, HIDDEN},
         .finding = true,
         .actual = 1,
         .en = "Every output is right, by luck: a race",
         .zh = "所有输出都正确，但只是侥幸：一次竞争"},
        {{RIGHT},
         .finding = true,
         .said = true,
         .advised = true,
         .actual = 1,
         .en = "it ended Own.",
         .zh = "结束自己。"},
        {{RIGHT},
         .said = true,
         .pass = true,
         .actual = 1,
         .en = "1 case is right, with no memory error and no race.",
         .zh = "全部 1 个用例正确，没有内存错误，也没有竞争。"},
        {{WRONG},
         .said = true,
         .actual = 0,
         .en = "1 of 1 case fails. The first: bad",
         .zh = "1 个用例中有 1 个失败。第一个：坏"},
        {{NONE},
         .pass = true,
         .actual = 0,
         .en = "All 0 cases are right, with no memory error and no race.",
         .zh = "全部 0 个用例正确，没有内存错误，也没有竞争。"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_CORRECT, .points = 4};
        if (rows[i].advised) g.message[LIB_EN] = own, g.message[LIB_ZH] = own_zh;
        grade_result r = begin(&g, 1);
        for (int k = 0; k < 4 && rows[i].cases[k] != NONE; k++) {
            int c = rows[i].cases[k];
            add_case(&r, c >= HIDDEN, c == RIGHT || c == HIDDEN, c == WRONG_2 ? "bad 2" : "bad",
                     c == WRONG_2 ? "" : "坏");
        }
        grade_evidence e = {.outputs_right = true};
        if (rows[i].finding) {
            tell(&race.said, "a race", "一次竞争");
            result_add_findings(&r, &race, 1);
            e.finding = r.findings;
            r.finding_public = !rows[i].hidden_finding;
        }
        if (rows[i].said)
            lib_message_set(&r.message, lib_words_plain((lib_texts){{"it ended", "结束"}}));
        grade_judge(&r, &e);
        printf("# %zu\n", i);
        CHECK_STR(said(&r.goals[0].message), rows[i].en);
        CHECK_STR(said_zh(&r.goals[0].message), rows[i].zh);
        CHECK_INT(r.goals[0].pass, rows[i].pass);
        CHECK_NEAR(r.goals[0].actual, rows[i].actual, 0);
        CHECK_NEAR(r.goals[0].expected, 1, 0);
        CHECK_NEAR(r.score, rows[i].pass ? 4 : 0, 0);
        CHECK_NEAR(r.max_score, 4, 0);
        CHECK_INT(r.verdict, rows[i].pass ? GRADE_PASS : GRADE_FAIL);
        grade_result_free(&r);
    }
}

/* What a student hears of a hidden case: by the first parameter that a range is of. */
static void hidden_sizes(void) {
    static const grade_range ranges[] = {{.name = "n", .lo = 1, .hi = 5000, .multiple = 1},
                                         {.name = "m", .lo = 2, .hi = 64, .multiple = 2}};
    static const char smallest[] = "try the smallest size.",
                      odd[] = "try a size that is no multiple of 32.",
                      largest[] = "try the largest sizes that the lab allows.",
                      other[] = "try a size that the public cases do not have.";
    static const struct {
        grade_param p[2];
        size_t n;
        const char *said;
    } rows[] = {{{{"n", 1}}, 1, smallest},
                {{{"n", 33}}, 1, odd},
                {{{"n", 32}}, 1, other},
                {{{"n", 31}}, 1, odd},
                {{{"m", 2}}, 1, smallest},
                {{{"m", 34}}, 1, odd},
                {{{"k", 33}}, 1, other},
                {{{"n", 4500}}, 1, odd}, /* the largest tenth begins at 4500.1 */
                {{{"n", 4501}}, 1, largest},
                {{{"n", 4501}, {"m", 60}}, 2, largest},
                {{{"n", 4501}, {"m", 56}}, 2, odd},
                {{{"k", 1}, {"n", 1}}, 2, smallest},
                {{{"m", 34}, {"n", 1}}, 2, smallest},
                {{{"n", 64}, {"m", 2}}, 2, smallest},
                {{{"n", 64}, {"m", 64}}, 2, other},
                {{{"n", 1}}, 0, other}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_CORRECT, .points = 4};
        grade_result r = begin(&g, 1);
        lab.ranges = ranges;
        lab.range_count = 2;
        add_case(&r, true, false, "", "");
        r.cases[0].params = calloc(2, sizeof(grade_param));
        r.cases[0].param_count = rows[i].n;
        for (size_t p = 0; p < rows[i].n; p++)
            r.cases[0].params[p] = (grade_param){strdup(rows[i].p[p].name), rows[i].p[p].value};
        grade_judge(&r, &(grade_evidence){0});
        CHECK_CONTAINS(said(&r.goals[0].message), rows[i].said);
        const char *zh = rows[i].said == smallest  ? "试试最小的尺寸。"
                         : rows[i].said == odd     ? "试试不是 32 的倍数的尺寸。"
                         : rows[i].said == largest ? "试试实验允许的最大尺寸。"
                                                   : "试试公开用例中没有的尺寸。";
        CHECK_CONTAINS(said_zh(&r.goals[0].message), zh);
        grade_result_free(&r);
    }
}

/* Nothing was launched, nothing was found, and a wrong output that nobody has written to. */
static void nothing_ran(void) {
    for (int missing = 0; missing <= 7; missing++) { /* 0: nothing is missing of what it takes */
        grade_goal g = {.kind = GRADE_GOAL_CORRECT, .points = 4};
        grade_result r = begin(&g, 1);
        add_case(&r, false, missing == 1, "bad", "坏");
        add_case(&r, false, false, "bad", "坏");
        r.cases[0].has_mismatch = missing != 2;
        r.cases[0].unwritten = missing != 3;
        r.cases[0].wrong = 8;
        r.cases[0].total = missing == 4 ? 9 : 8;
        static const sim_finding f = {.kind = SIM_FIND_OOB};
        if (missing == 5) result_add_findings(&r, &f, 1);
        if (missing == 6) result_set_launches(&r, &(dev_record){.op = DEV_OP_LAUNCH}, 1);
        if (missing == 7) /* that is no launch */
            result_set_launches(&r, &(dev_record){.op = DEV_OP_H2D}, 1);
        bool nothing = !missing || missing == 7;
        CHECK_INT(grade_result_nothing_ran(&r), nothing);
        grade_judge(&r, &(grade_evidence){0});
        CHECK(!strstr(said(&r.goals[0].message), " No kernel ran: was a launch refused") ==
              !nothing);
        CHECK(!strstr(said_zh(&r.goals[0].message), "没有核函数运行过：是不是启动被拒绝了") ==
              !nothing);
        grade_result_free(&r);
    }
}

/* ---- counters */

static void counters(void) {
    static const struct {
        grade_goal g;
        grade_metric_value mine, base;
        bool pass;
        double expected;
        const char *en, *zh;
    } rows[] = {
        {{.name = "gld_sectors", .relation = GRADE_LE, .threshold = 400},
         {.status = METRIC_OK, .value = 400},
         {0},
         true,
         400,
         "gld_sectors is 400 sectors; the goal is <= 400.",
         "gld_sectors 为 400 个扇区；要求 <= 400。"},
        {{.name = "gld_sectors",
          .relation = GRADE_LT,
          .threshold = 400,
          .message = {"Own.", "自己。"}},
         {.status = METRIC_OK, .value = 400},
         {0},
         false,
         400,
         "gld_sectors is 400 sectors; the goal is < 400. Own.",
         "gld_sectors 为 400 个扇区；要求 < 400。自己。"},
        {{.name = "barriers",
          .relation = GRADE_LE,
          .threshold = 0.5,
          .relative = true,
          .per = "thread",
          .message = {"Own.", "自己。"}},
         {.status = METRIC_OK, .value = 400, .fewer = 4},
         {.status = METRIC_OK, .value = 600},
         false,
         300,
         "barriers is 400 barriers; the goal is <= 300 (0.5 times the baseline's). It is counted "
         "per thread: the call has 100, but its threads are 4 times fewer than the baseline's. "
         "Own.",
         "barriers 为 400 次屏障；要求 <= 300，即基线的 0.5 "
         "倍。这里按线程计算：调用本身的值是 100，但它的线程数只有基线的 1/4。自己。"},
        {{.name = "syncs", .relation = GRADE_LE, .threshold = 1},
         {.status = METRIC_OK, .value = 1},
         {0},
         true,
         1,
         "syncs is 1 call; the goal is <= 1.",
         "syncs 为 1 次；要求 <= 1。"},
        {{.name = "syncs", .relation = GRADE_LE, .threshold = 0, .message = {"Own."}},
         {.status = METRIC_OK, .value = 2},
         {0},
         false,
         0,
         "syncs is 2 calls; the goal is <= 0. Own.",
         "syncs 为 2 次；要求 <= 0。Own."},
        {{.name = "kernel_us", .relation = GRADE_GE, .threshold = 1},
         {.status = METRIC_OK, .value = 1},
         {0},
         true,
         1,
         "kernel_us is 1 us; the goal is >= 1.",
         "kernel_us 为 1 微秒；要求 >= 1。"},
        {{.name = "overlap_pct", .relation = GRADE_GT, .threshold = 12.5},
         {.status = METRIC_OK, .value = 13},
         {0},
         true,
         12.5,
         "overlap_pct is 13%; the goal is > 12.5.",
         "overlap_pct 为 13%；要求 > 12.5。"},
        {{.name = "gst_sectors", .relation = GRADE_EQ, .threshold = 1, .relative = true},
         {.status = METRIC_OK, .value = 40},
         {.status = METRIC_OK, .value = 40},
         true,
         40,
         "gst_sectors is 40 sectors; the goal is == 40 (the baseline's).",
         "gst_sectors 为 40 个扇区；要求 == 40，即基线的值。"},
        {{.name = "gst_sectors", .relation = GRADE_LE, .threshold = 0.5, .relative = true},
         {.status = METRIC_OK, .value = 20},
         {.status = METRIC_OK, .value = 40},
         true,
         20,
         "gst_sectors is 20 sectors; the goal is <= 20 (0.5 times the baseline's).",
         "gst_sectors 为 20 个扇区；要求 <= 20，即基线的 0.5 倍。"},
        {{.name = "gst_sectors",
          .relation = GRADE_GE,
          .threshold = 0.5,
          .relative = true,
          .message = {"Own.", ""}},
         {.status = METRIC_OK, .value = 20},
         {.status = METRIC_NO_LAUNCH, .value = 0},
         false,
         0,
         "gst_sectors is 20 sectors; the goal is >= 0 (0.5 times the baseline's). Own.",
         "gst_sectors 为 20 个扇区；要求 >= 0，即基线的 0.5 倍。Own."},
        {{.name = "gst_sectors", .relation = GRADE_LE, .threshold = 2, .kernel = "a", .than = "b"},
         {.status = METRIC_OK, .value = 20},
         {.status = METRIC_OK, .value = 10},
         true,
         20,
         "gst_sectors of a is 20 sectors; the goal is <= 20 (2 times that of b).",
         "gst_sectors（a）为 20 个扇区；要求 <= 20，即 b 的值的 2 倍。"},
        {{.name = "gst_sectors", .relation = GRADE_LE, .threshold = 1, .than = "b"},
         {.status = METRIC_OK, .value = 20},
         {.status = METRIC_OK, .value = 20},
         true,
         20,
         "gst_sectors of all kernels is 20 sectors; the goal is <= 20 (1 times that of b).",
         "gst_sectors（全部核函数）为 20 个扇区；要求 <= 20，即 b 的值的 1 倍。"},
        {{.name = "gst_sectors",
          .relation = GRADE_GE,
          .threshold = 1,
          .than = "b",
          .message = {"Own.", "自己。"}},
         {.status = METRIC_OK, .value = 20},
         {.status = METRIC_NO_LAUNCH, .value = 0},
         false,
         0,
         "gst_sectors was not compared: no kernel named b was launched. Own.",
         "gst_sectors 没有可比的对象：没有启动名为 b 的核函数。自己。"},
        {{.name = "gst_sectors", .relation = GRADE_GE, .threshold = 1, .kernel = "a"},
         {.status = METRIC_NO_LAUNCH, .value = 0},
         {0},
         false,
         1,
         "gst_sectors was not measured: no kernel named a was launched.",
         "gst_sectors 没有测到：没有启动名为 a 的核函数。"},
        {{.name = "gst_sectors", .relation = GRADE_LE, .threshold = 1},
         {.status = METRIC_NO_LAUNCH, .value = 0},
         {0},
         false,
         1,
         "gst_sectors was not measured: no kernel was launched.",
         "gst_sectors 没有测到：没有启动任何核函数。"},
        {{.name = "gst_sectors", .relation = GRADE_LE, .threshold = 1},
         {.status = METRIC_UNDEFINED, .value = 0},
         {0},
         false,
         1,
         "gst_sectors was not measured: the kernels made no such access at all.",
         "gst_sectors 没有测到：核函数根本没有这种访问。"},
        {{.name = "nothing", .relation = GRADE_LE, .threshold = 1, .message = {"Own.", "自己。"}},
         {.status = METRIC_UNKNOWN, .value = 0},
         {0},
         false,
         1,
         "nothing is 0 ; the goal is <= 1. Own.",
         "nothing 为 0 ；要求 <= 1。自己。"},
        /* advice that says nothing is none, ours neither; Chinese falls back on the English one */
        {{.name = "gld_sectors", .relation = GRADE_LE, .threshold = 1, .message = {"", "自己。"}},
         {.status = METRIC_OK, .value = 2},
         {0},
         false,
         1,
         "gld_sectors is 2 sectors; the goal is <= 1.",
         "gld_sectors 为 2 个扇区；要求 <= 1。"},
        {{.name = "gld_sectors", .relation = GRADE_LE, .threshold = 1, .message = {"Own.", NULL}},
         {.status = METRIC_OK, .value = 2},
         {0},
         false,
         1,
         "gld_sectors is 2 sectors; the goal is <= 1. Own.",
         "gld_sectors 为 2 个扇区；要求 <= 1。Own."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = rows[i].g;
        g.kind = GRADE_GOAL_COUNTER;
        g.points = 3;
        grade_result r = begin(&g, 1);
        grade_evidence e = {.outputs_right = true,
                            .measured = true,
                            .student = &rows[i].mine,
                            .baseline = &rows[i].base};
        grade_judge(&r, &e);
        printf("# %zu\n", i);
        CHECK_STR(said(&r.goals[0].message), rows[i].en);
        CHECK_STR(said_zh(&r.goals[0].message), rows[i].zh);
        CHECK_INT(r.goals[0].pass, rows[i].pass);
        CHECK_NEAR(r.goals[0].expected, rows[i].expected, 0);
        CHECK_NEAR(r.goals[0].actual, rows[i].mine.value, 0);
        CHECK_NEAR(r.score, rows[i].pass ? 3 : 0, 0);
        grade_result_free(&r);
    }
    /* One of a unit is no plural. */
    static const char *const one[][2] = {
        {"h2d_copies", "1 copy;"}, {"branches", "1 branch;"},
        {"syncs", "1 call;"},      {"device_us", "1 us;"},
        {"overlap_pct", "1%;"},    {"gld_sectors_per_request", "1 sectors/request;"}};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        grade_goal g = {.kind = GRADE_GOAL_COUNTER, .name = one[i][0], .threshold = 1};
        grade_result r = begin(&g, 1);
        static const grade_metric_value mine = {.status = METRIC_OK, .value = 1};
        grade_judge(
            &r, &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = &mine, .baseline = &mine});
        CHECK_CONTAINS(said(&r.goals[0].message), one[i][1]);
        grade_result_free(&r);
    }
    /* Our own advice is that of the first prefix that fits. */
    static const struct {
        const char *prefix;
        lib_word_id word;
    } advice[] = {
#define ADVICE(prefix, name) {prefix, W_ADVICE_##name},
#define TOO_SMALL(prefix, name)
#include "grader/judge/advice.def"
#undef ADVICE
#undef TOO_SMALL
    };
    enum { ADVICES = sizeof advice / sizeof *advice };
    for (size_t i = 0; i < sim_counter_count() + grade_metric_count(); i++) {
        const char *name = i < sim_counter_count() ? sim_counter_at(i)->name
                                                   : grade_metric_at(i - sim_counter_count())->name;
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = name,
                        .relation = GRADE_LT,
                        .threshold = 5,
                        .points = 1};
        grade_result r = begin(&g, 1);
        static const grade_metric_value mine = {.status = METRIC_OK, .value = 6};
        grade_judge(
            &r, &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = &mine, .baseline = &mine});
        size_t k = 0;
        while (strncmp(name, advice[k].prefix, strlen(advice[k].prefix)) != 0) k++;
        CHECK(k < ADVICES);
        const char *en = strstr(said(&r.goals[0].message), " 5. "),
                   *zh = strstr(said_zh(&r.goals[0].message), " 5。");
        CHECK_STR(en ? en + strlen(" 5. ") : "", lib_word(LIB_EN, advice[k].word));
        CHECK_STR(zh ? zh + strlen(" 5。") : "", lib_word(LIB_ZH, advice[k].word));
        grade_result_free(&r);
    }
}

/* ---- the advice of a goal that asks for more says nothing that makes less */
static void directions(void) {
    static const struct {
        const char *name;
        grade_relation relation;
        double value;
        lib_word_id word;
    } rows[] = {{"launches", GRADE_LE, 6, W_ADVICE_FEWER_LAUNCHES},
                {"launches", GRADE_GE, 4, W_ADVICE_PROFILE},
                {"launches", GRADE_EQ, 6, W_ADVICE_FEWER_LAUNCHES},
                {"launches", GRADE_EQ, 4, W_ADVICE_PROFILE},
                {"waits", GRADE_GE, 4, W_ADVICE_PROFILE},
                {"released_pct", GRADE_GE, 4, W_ADVICE_PROFILE},
                {"d2h_bytes", GRADE_GT, 4, W_ADVICE_PROFILE},
                {"flop_sp", GRADE_GE, 4, W_ADVICE_PROFILE},
                {"flop_per_dram_byte", GRADE_GE, 4, W_ADVICE_FLOPS_A_BYTE},
                {"l2_hit_pct", GRADE_GE, 4, W_ADVICE_CACHED_AGAIN},
                {"occupancy_pct", GRADE_GE, 4, W_ADVICE_RESIDENT_BLOCKS},
                {"active_lanes_avg", GRADE_GE, 4, W_ADVICE_FEW_LANES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = rows[i].name,
                        .relation = rows[i].relation,
                        .threshold = 5,
                        .points = 1};
        grade_result r = begin(&g, 1);
        grade_metric_value mine = {.status = METRIC_OK, .value = rows[i].value};
        grade_judge(
            &r, &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = &mine, .baseline = &mine});
        printf("# %s\n", rows[i].name);
        CHECK_CONTAINS(said(&r.goals[0].message), lib_word(LIB_EN, rows[i].word));
        grade_result_free(&r);
    }
}

/* ---- the bar of a counter goal: missed by half or by twice, it is half full */
static void bars(void) {
    static const struct {
        grade_relation relation;
        double value, near;
    } rows[] = {{GRADE_LE, 4, 1},   {GRADE_LE, 8, 0.5}, {GRADE_LT, 4, 0.99}, {GRADE_GE, 4, 1},
                {GRADE_GE, 2, 0.5}, {GRADE_GE, 0, 0},   {GRADE_GT, 4, 0.99}, {GRADE_EQ, 4, 1},
                {GRADE_EQ, 2, 0.5}, {GRADE_EQ, 8, 0.5}, {GRADE_EQ, 16, 0.25}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = "syncs",
                        .relation = rows[i].relation,
                        .threshold = 4,
                        .points = 1};
        grade_metric_value mine = {.status = METRIC_OK, .value = rows[i].value};
        grade_result r = begin(&g, 1);
        grade_judge(
            &r, &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = &mine, .baseline = &mine});
        printf("# %zu\n", i);
        CHECK_NEAR(grade_goal_near(&r.goals[0]), rows[i].near, 1e-12);
        grade_result_free(&r);
    }
}

/* ---- speed */

/* Full marks at twice as fast, none at once: the time goes from 1 to 1/2. */
static void speedups(void) {
    static const struct {
        double speedup, threshold, lo, hi, time;
        bool sampled, pass, undecided;
        double points;
        const char *en, *zh;
    } rows[] = {
        {.speedup = 2,
         .threshold = 2,
         .time = 10,
         .pass = true,
         .points = 4,
         .en = "2 times as fast as the baseline (10 us against 30.5 us); the goal is 2 times as "
               "fast.",
         .zh = "速度是基线的 2 倍（10 微秒，基线 30.5 微秒）；要求 2 倍。"},
        {.speedup = 1,
         .threshold = 1,
         .time = 10,
         .pass = true,
         .points = 4,
         .en = "As fast as the baseline (10 us against 30.5 us); the goal is to be no slower.",
         .zh = "与基线一样快（10 微秒，基线 30.5 微秒）；要求不比基线慢。"},
        {.speedup = 4.0 / 3,
         .threshold = 2,
         .time = 10,
         .points = 2,
         .en = "1.33 times as fast as the baseline (10 us against 30.5 us); the goal is 2 times as "
               "fast. Own.",
         .zh = "速度是基线的 1.33 倍（10 微秒，基线 30.5 微秒）；要求 2 倍。自己。"},
        /* All but nothing is missing: a cent is taken off. */
        {.speedup = 1.99999,
         .threshold = 2,
         .time = 10,
         .points = 3.99,
         .en = "2 times as fast as the baseline (10 us against 30.5 us); the goal is 2 times as "
               "fast. Own.",
         .zh = "速度是基线的 2 倍（10 微秒，基线 30.5 微秒）；要求 2 倍。自己。"},
        {.speedup = 1,
         .threshold = 2,
         .time = 10,
         .points = 0,
         .en = "As fast as the baseline (10 us against 30.5 us); the goal is 2 times as fast. Own.",
         .zh = "与基线一样快（10 微秒，基线 30.5 微秒）；要求 2 倍。自己。"},
        {.speedup = 0,
         .threshold = 2,
         .time = 0,
         .points = 0,
         .en = "The speed was not measured: the timed call did nothing on the device; the goal "
               "is 2 times as fast.",
         .zh = "没有测到速度：计时的调用没有让设备做任何事；要求 2 倍。"},
        {.speedup = 2.1,
         .threshold = 2,
         .lo = 1.9,
         .hi = 2.3,
         .time = 10,
         .sampled = true,
         .pass = true,
         .undecided = true,
         .points = 4,
         .en =
             "Between 1.9 and 2.3 times as fast as the baseline (95%): too close to the goal of 2 "
             "to decide. Grade it again.",
         .zh = "速度是基线的 1.9 到 2.3 倍（95% 区间）：离要求的 2 倍太近，无法判定，请重新评分。"},
        {.speedup = 2.1,
         .threshold = 2,
         .lo = 2,
         .hi = 2.3,
         .time = 10,
         .sampled = true,
         .pass = true,
         .points = 4,
         .en = "2.1 times as fast as the baseline (10 us against 30.5 us); the goal is 2 times as "
               "fast.",
         .zh = "速度是基线的 2.1 倍（10 微秒，基线 30.5 微秒）；要求 2 倍。"},
        {.speedup = 1,
         .threshold = 2,
         .lo = 0.9,
         .hi = 2,
         .time = 10,
         .sampled = true,
         .points = 0,
         .en = "As fast as the baseline (10 us against 30.5 us); the goal is 2 times as fast. Own.",
         .zh = "与基线一样快（10 微秒，基线 30.5 微秒）；要求 2 倍。自己。"},
        {.speedup = 2.1,
         .threshold = 2,
         .lo = 1.9,
         .hi = 2.3,
         .time = 10,
         .pass = true,
         .points = 4,
         .en = "2.1 times as fast as the baseline (10 us against 30.5 us); the goal is 2 times as "
               "fast.",
         .zh = "速度是基线的 2.1 倍（10 微秒，基线 30.5 微秒）；要求 2 倍。"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int right = 0; right < 2; right++) {
            grade_goal g = {.kind = GRADE_GOAL_SPEEDUP,
                            .threshold = rows[i].threshold,
                            .full_at = 2,
                            .none_at = 1,
                            .points = 4,
                            .message = {"Own.", "自己。"}};
            grade_result r = begin(&g, 1);
            r.speedup = rows[i].speedup;
            r.ci_lo = rows[i].lo, r.ci_hi = rows[i].hi;
            r.time_us = rows[i].time, r.baseline_us = 30.5;
            grade_evidence e = {
                .outputs_right = right, .measured = true, .sampled = rows[i].sampled};
            grade_judge(&r, &e);
            char en[600], zh[600];
            bool held = !right && rows[i].points > 0;
            SAY(en, "%s%s", rows[i].en, held ? " It earns points once every output is right." : "");
            SAY(zh, "%s%s", rows[i].zh, held ? "所有输出正确后才能得分。" : "");
            printf("# %zu\n", i);
            CHECK_STR(said(&r.goals[0].message), en);
            CHECK_STR(said_zh(&r.goals[0].message), zh);
            CHECK_INT(r.goals[0].pass, right && rows[i].pass);
            CHECK_INT(r.goals[0].undecided, right && rows[i].undecided);
            CHECK_NEAR(r.goals[0].points, right ? rows[i].points : 0, 1e-12);
            CHECK_NEAR(r.score, right ? rows[i].points : 0, 1e-12);
            CHECK_INT(r.verdict, right && rows[i].undecided ? GRADE_AMBIGUOUS
                                 : right && rows[i].pass    ? GRADE_PASS
                                                            : GRADE_FAIL);
            CHECK_INT(grade_fails_surely(&r), !(right && rows[i].pass));
            grade_result_free(&r);
        }
}

/* 8 GB/s and 2 GFLOP/s at most: 1000 us are 8,000,000 bytes or 2,000,000 operations. */
static void fractions(void) {
    static const struct {
        const char *name;
        double bytes, flops, gbs, gflops, time, lo, hi, threshold;
        bool sampled, pass, undecided, unknown;
        double actual, points;
        const char *en, *zh;
    } rows[] = {
        {"copy", 4e6, 1, 8, 2, 1000, 0, 0, 0.5, .pass = true, .actual = 0.5, .points = 2,
         .en = "50.0% of the copy bandwidth of 8 GB/s (4 GB/s reached); the goal is 50%.",
         .zh = "达到拷贝带宽 8 GB/s 的 50.0%（实际 4 GB/s）；要求 50%。"},
        {"fp32", 1, 1e6, 8, 2, 1000, 0, 0, 0.25, .pass = true, .actual = 0.5, .points = 2,
         .en = "50.0% of the FP32 peak of 2 GFLOP/s (1 GFLOP/s reached); the goal is 25%.",
         .zh = "达到单精度峰值 2 GFLOP/s 的 50.0%（实际 1 GFLOP/s）；要求 25%。"},
        /* time from 4 to 2 for 0.25 to 0.5: 1/3 is 3, half way */
        {"copy", 8e6 / 3, 1, 8, 2, 1000, 0, 0, 0.5, .actual = 1 / 3.0, .points = 1,
         .en = "33.3% of the copy bandwidth of 8 GB/s (3 GB/s reached); the goal is 50%. Own.",
         .zh = "达到拷贝带宽 8 GB/s 的 33.3%（实际 3 GB/s）；要求 50%。自己。"},
        /* 4e6 bytes at half of the peak take 1000 us */
        {"copy", 4e6, 1, 8, 2, 1000, 999, 1001, 0.5, .sampled = true, .pass = true,
         .undecided = true, .actual = 0.5, .points = 2,
         .en = "50.0% of the copy bandwidth of 8 GB/s (4 GB/s reached); the goal is 50%.",
         .zh = "达到拷贝带宽 8 GB/s 的 50.0%（实际 4 GB/s）；要求 50%。"},
        {"copy", 4e6, 1, 8, 2, 1000, 1000, 1001, 0.5, .sampled = true, .pass = true, .actual = 0.5,
         .points = 2,
         .en = "50.0% of the copy bandwidth of 8 GB/s (4 GB/s reached); the goal is 50%.",
         .zh = "达到拷贝带宽 8 GB/s 的 50.0%（实际 4 GB/s）；要求 50%。"},
        {"copy", 4e6, 1, 8, 2, 1000, 999, 1000, 0.5, .sampled = true, .pass = true, .actual = 0.5,
         .points = 2,
         .en = "50.0% of the copy bandwidth of 8 GB/s (4 GB/s reached); the goal is 50%.",
         .zh = "达到拷贝带宽 8 GB/s 的 50.0%（实际 4 GB/s）；要求 50%。"},
        {"copy", 4e6, 1, 0, 2, 1000, 0, 0, 0.5, .unknown = true,
         .en = "The copy bandwidth of this device is not known, so no fraction of it could be "
               "judged.",
         .zh = "不知道该设备的拷贝带宽，无法评判比例。"},
        {"fp32", 4e6, 1, 8, 0, 1000, 0, 0, 0.5, .unknown = true,
         .en = "The FP32 peak of this device is not known, so no fraction of it could be judged.",
         .zh = "不知道该设备的单精度峰值，无法评判比例。"},
        {"copy", 4e6, 1, 8, 2, 0, 0, 0, 0.5, .unknown = true,
         .en = "The copy bandwidth of this device is not known, so no fraction of it could be "
               "judged.",
         .zh = "不知道该设备的拷贝带宽，无法评判比例。"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int right = 0; right < 2; right++) {
            grade_goal g = {.kind = GRADE_GOAL_FRACTION,
                            .name = rows[i].name,
                            .threshold = rows[i].threshold,
                            .full_at = 0.5,
                            .none_at = 0.25,
                            .points = 2,
                            .message = {"Own.", "自己。"}};
            grade_result r = begin(&g, 1);
            r.time_us = rows[i].time;
            r.time_lo = rows[i].lo, r.time_hi = rows[i].hi;
            grade_evidence e = {.outputs_right = right,
                                .measured = true,
                                .sampled = rows[i].sampled,
                                .copy_gbs = rows[i].gbs,
                                .fp32_gflops = rows[i].gflops,
                                .useful_bytes = rows[i].bytes,
                                .useful_flops = rows[i].flops};
            grade_judge(&r, &e);
            printf("# %zu\n", i);
            if (right) {
                CHECK_STR(said(&r.goals[0].message), rows[i].en);
                CHECK_STR(said_zh(&r.goals[0].message), rows[i].zh);
            }
            CHECK_INT(r.goals[0].pass, right && rows[i].pass);
            CHECK_INT(r.goals[0].undecided, right && rows[i].undecided);
            CHECK_NEAR(r.goals[0].actual, rows[i].actual, 1e-12);
            CHECK_NEAR(r.goals[0].points, right ? rows[i].points : 0, 1e-12);
            CHECK_INT(r.ungradable, right && rows[i].unknown);
            CHECK_INT(r.verdict, right && rows[i].unknown     ? GRADE_ERROR
                                 : right && rows[i].undecided ? GRADE_AMBIGUOUS
                                 : right && rows[i].pass      ? GRADE_PASS
                                                              : GRADE_FAIL);
            CHECK_STR(
                said(&r.message),
                right && rows[i].unknown
                    ? "sim:h200 does not say what bandwidth or peak it has, and a goal of this "
                      "lab is a fraction of it."
                    : "");
            grade_result_free(&r);
        }
}

/* Bronze, silver and gold at 40, 60 and 80% of a copy at 10 GB/s: in 1000 us that is 10 MB. Half of
 * the points, three quarters, all; below bronze nothing. */
static void tiers(void) {
    static const double at[] = {0.4, 0.6, 0.8};
    static const struct {
        double share;
        const char *tier; /* in the JSON; NULL: none */
        double points;
        const char *en, *zh, *line;
    } rows[] = {
        {0.1, NULL, 0,
         "No tier yet: 10.0% of the copy bandwidth of 10 GB/s (1 GB/s reached); bronze needs 40%. "
         "Own.",
         "尚未入级：达到拷贝带宽 10 GB/s 的 10.0%（实际 1 GB/s）；铜级要求 40%。自己。",
         "bronze: 40% of the copy bandwidth (10%)"},
        {0.3999, NULL, 0,
         "No tier yet: 39.9% of the copy bandwidth of 10 GB/s (4 GB/s reached); bronze needs 40%. "
         "Own.",
         "尚未入级：达到拷贝带宽 10 GB/s 的 39.9%（实际 4 GB/s）；铜级要求 40%。自己。",
         "bronze: 40% of the copy bandwidth (40%)"},
        {0.4, "bronze", 2,
         "Bronze: 40.0% of the copy bandwidth of 10 GB/s (4 GB/s reached); silver needs 60%.",
         "铜级：达到拷贝带宽 10 GB/s 的 40.0%（实际 4 GB/s）；银级要求 60%。",
         "Bronze; silver: 60% of the copy bandwidth (40%)"},
        {0.6, "silver", 3,
         "Silver: 60.0% of the copy bandwidth of 10 GB/s (6 GB/s reached); gold needs 80%.",
         "银级：达到拷贝带宽 10 GB/s 的 60.0%（实际 6 GB/s）；金级要求 80%。",
         "Silver; gold: 80% of the copy bandwidth (60%)"},
        {0.7996, "silver", 3,
         "Silver: 79.9% of the copy bandwidth of 10 GB/s (8 GB/s reached); gold needs 80%.",
         "银级：达到拷贝带宽 10 GB/s 的 79.9%（实际 8 GB/s）；金级要求 80%。",
         "Silver; gold: 80% of the copy bandwidth (80%)"},
        {0.8, "gold", 4,
         "Gold, the highest tier: 80.0% of the copy bandwidth of 10 GB/s (8 GB/s reached).",
         "金级（最高）：达到拷贝带宽 10 GB/s 的 80.0%（实际 8 GB/s）。", "Gold (80%)"},
    };
    grade_goal g = {.kind = GRADE_GOAL_TIERS,
                    .name = "copy",
                    .threshold = 0.4,
                    .points = 4,
                    .own = at,
                    .message = {"Own.", "自己。"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int right = 0; right < 2; right++) {
            grade_result r = begin(&g, 1);
            r.time_us = 1000;
            grade_judge(&r, &(grade_evidence){.outputs_right = right,
                                              .measured = true,
                                              .copy_gbs = 10,
                                              .useful_bytes = rows[i].share * 10e6});
            printf("# tier %zu\n", i);
            bool pass = right && rows[i].tier;
            CHECK_INT(r.goals[0].pass, pass);
            CHECK_INT(r.verdict, pass ? GRADE_PASS : GRADE_FAIL);
            CHECK_NEAR(r.goals[0].points, right ? rows[i].points : 0, 0);
            CHECK_NEAR(r.goals[0].expected, 0.4, 0);
            json_t *o = json_object();
            grade_goal_json(&r.goals[0], o);
            const char *tier = json_string_value(json_object_get(o, "tier"));
            CHECK(pass ? tier && !strcmp(tier, rows[i].tier) : !tier);
            json_t *all = json_object_get(o, "tiers");
            for (size_t k = 0; k < 3; k++) {
                static const char *const name[] = {"bronze", "silver", "gold"};
                json_t *t = json_array_get(all, k);
                CHECK_STR(json_string_value(json_object_get(t, "name")), name[k]);
                CHECK_NEAR(json_number_value(json_object_get(t, "at")), at[k], 0);
                CHECK_NEAR(json_number_value(json_object_get(t, "points")), 2 + (double)k, 0);
            }
            json_decref(o);
            if (right) {
                CHECK_STR(said(&r.goals[0].message), rows[i].en);
                CHECK_STR(said_zh(&r.goals[0].message), rows[i].zh);
                char *line = grade_goal_line(&r.goals[0], LIB_EN);
                CHECK_STR(line, rows[i].line);
                free(line);
            }
            grade_result_free(&r);
        }
    /* A measured device: every tier is to be clear of the interval, bronze alone decides. 10 MB at
     * a share s take 1000 / s us. */
    static const struct {
        double lo, hi; /* of the share */
        bool decided, undecided;
    } sampled[] = {{0.41, 0.59, true, false},  {0.39, 0.41, false, true},
                   {0.59, 0.61, false, false}, {0.79, 0.81, false, false},
                   {0.81, 0.9, true, false},   {0.1, 0.39, true, false},
                   {0.39, 0.9, false, true},   {0.41, 0.79, false, false}};
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++) {
        grade_evidence e = {.outputs_right = true,
                            .measured = true,
                            .sampled = true,
                            .copy_gbs = 10,
                            .useful_bytes = 10e6};
        grade_ratio q = {.student_lo = 1000 / sampled[i].hi, .student_hi = 1000 / sampled[i].lo};
        CHECK_INT(grade_goal_decided(&g, &e, &q), sampled[i].decided);
        grade_result r = begin(&g, 1);
        r.time_lo = q.student_lo, r.time_hi = q.student_hi;
        r.time_us = (r.time_lo + r.time_hi) / 2;
        grade_judge(&r, &e);
        printf("# interval %zu\n", i);
        CHECK_INT(r.goals[0].undecided, sampled[i].undecided);
        grade_result_free(&r);
    }
    /* The device does not say what it can reach. */
    grade_result r = begin(&g, 1);
    r.time_us = 1;
    grade_judge(&r, &(grade_evidence){.outputs_right = true, .measured = true, .useful_bytes = 1});
    CHECK(r.ungradable && r.verdict == GRADE_ERROR && r.score == 0);
    grade_result_free(&r);
}

/* The table: each kind is found by its name, each word is of one kind, and each is told in both
 * languages. */
static void kinds(void) {
    static const double at[] = {0.4, 0.6, 0.8};
    static const grade_said said = {.kind = GRADE_SAID_LIMITER};
    size_t words = 0, correctness = 0, quiz = 0;
    for (int k = 0; k < GRADE_GOAL_KINDS; k++) {
        const char *name = grade_goal_kind_name((grade_goal_kind)k);
        /* A goal as any kind may have it: "copy" is the name of a bound, and could be an
         * answer's. */
        grade_goal g = {.kind = (grade_goal_kind)k,
                        .name = "copy",
                        .threshold = 0.4,
                        .points = 1,
                        .said = &said,
                        .own = at};
        printf("# %s\n", name);
        CHECK_INT(grade_goal_kind_find(name), k);
        CHECK(grade_goal_called(&g, name) && grade_goal_called(&g, "copy") &&
              !grade_goal_called(&g, "other"));
        correctness += grade_goal_correctness(&g), quiz += grade_goal_quiz(&g);
        CHECK(!grade_goal_timed(&g) || grade_goal_figure(&g));
        CHECK(!grade_goal_in_words(&g) || !grade_goal_figure(&g));
        char *told[LIB_LANGS], *title[LIB_LANGS];
        for (int l = 0; l < LIB_LANGS; l++) {
            told[l] = grade_goal_sentence(&g, (lib_lang)l);
            title[l] = grade_goal_title(name, "copy", ">=", 0.4, (lib_lang)l);
            CHECK(told[l] && *told[l] && title[l] && *title[l]);
        }
        CHECK(title[LIB_EN] && title[LIB_ZH] && strcmp(title[LIB_EN], title[LIB_ZH]));
        for (int l = 0; l < LIB_LANGS; l++) free(told[l]), free(title[l]);
    }
    CHECK(correctness == 1 && quiz == 1);
    CHECK_INT(grade_goal_kind_find("none"), GRADE_GOAL_KINDS);
    grade_goal_kind kind, other;
    for (const goal_word *w; (w = goal_word_at(words, &kind)); words++) {
        grade_goal g = {.kind = kind};
        CHECK(!strstr(w->named, "points") == grade_goal_rule(&g));
        CHECK(w->doc[0] && strstr(w->named, " en zh"));
        for (size_t i = 0; i < words; i++)
            CHECK(strcmp(goal_word_at(i, &other)->name, w->name) != 0);
    }
    CHECK(words > GRADE_GOAL_KINDS); /* at_most and at_least are counters */
    /* a record of a version that had other kinds */
    char *title = grade_goal_title("later", "its name", ">=", 1, LIB_EN);
    CHECK_STR(title, "its name");
    free(title);
}

/* What is said of the launch that took longest, by what held it up. */
static void limiters(void) {
    static const struct {
        const char *name, *zh;
    } table[] = {{"dram", "显存"},       {"l2", "L2 缓存"},     {"l1", "L1 请求"},
                 {"shared", "共享内存"}, {"issue", "指令发射"}, {"latency", "等待延迟"},
                 {"launch", "启动开销"}};
    enum { LIMITERS = sizeof table / sizeof *table };
    for (size_t i = 0; i <= LIMITERS; i++) {
        grade_goal g = {
            .kind = GRADE_GOAL_SPEEDUP, .threshold = 2, .full_at = 2, .none_at = 1, .points = 4};
        grade_result r = begin(&g, 1);
        r.speedup = 1, r.time_us = 1;
        sim_result slow = {.limiter = i < LIMITERS ? table[i].name : "?"},
                   quick = {.limiter = "launch"};
        const dev_record log[] = {{.op = DEV_OP_LAUNCH, .end_us = 1, .result = &quick},
                                  {.op = DEV_OP_LAUNCH, .end_us = 3, .result = &slow},
                                  {.op = DEV_OP_LAUNCH, .end_us = 3, .result = &quick},
                                  {.op = DEV_OP_LAUNCH, .end_us = 2, .result = &quick}};
        result_set_launches(&r, log, 4);
        grade_judge(&r, &(grade_evidence){.outputs_right = true, .measured = true});
        char en[600], zh[600];
        lib_word_id told = i < LIMITERS ? lib_words_named("slow", table[i].name) : 0;
        CHECK(told || i == LIMITERS);
        SAY(en, "As fast as the baseline (1 us against 0 us); the goal is 2 times as fast. %s",
            told ? lib_word(LIB_EN, told)
                 : "Run `profile` on the file to see where the time goes.");
        SAY(zh, "与基线一样快（1 微秒，基线 0 微秒）；要求 2 倍。%s",
            told ? lib_word(LIB_ZH, told) : "对文件运行 `profile`，看看时间花在哪里。");
        CHECK_STR(said(&r.goals[0].message), en);
        CHECK_STR(said_zh(&r.goals[0].message), zh);
        grade_result_free(&r);
        if (i == LIMITERS) continue;
        CHECK_STR(grade_limiter_word(table[i].name, LIB_EN), table[i].name);
        CHECK_STR(grade_limiter_word(table[i].name, LIB_ZH), table[i].zh);
    }
    CHECK_STR(grade_limiter_word("?", LIB_ZH), "?");
}

/* Several goals: points add up, each goal that is missed or not decided has its say in the
 * verdict. */
static void verdicts(void) {
    enum { PASS, MISS, UNSURE };
    static const struct {
        int goal[2];
        grade_verdict before, verdict;
        bool finding, sure;
        double score;
    } rows[] = {
        {{PASS, PASS}, GRADE_FAIL, GRADE_PASS, false, false, 3},
        {{PASS, PASS}, GRADE_FAIL, GRADE_FAIL, true, true, 0},
        {{PASS, UNSURE}, GRADE_FAIL, GRADE_FAIL, true, true, 0},
        {{PASS, MISS}, GRADE_FAIL, GRADE_FAIL, false, true, 1},
        {{MISS, PASS}, GRADE_FAIL, GRADE_FAIL, false, true, 2},
        {{PASS, UNSURE}, GRADE_FAIL, GRADE_AMBIGUOUS, false, false, 3},
        {{UNSURE, PASS}, GRADE_FAIL, GRADE_AMBIGUOUS, false, false, 3},
        {{UNSURE, MISS}, GRADE_FAIL, GRADE_AMBIGUOUS, false, true, 1},
        {{MISS, UNSURE}, GRADE_FAIL, GRADE_AMBIGUOUS, false, true, 2},
        {{PASS, PASS}, GRADE_ERROR, GRADE_ERROR, false, false, 3},
        {{PASS, PASS}, GRADE_SUSPECT, GRADE_SUSPECT, false, false, 3},
    };
    static const sim_finding found = {.kind = SIM_FIND_RACE};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g[2];
        for (int k = 0; k < 2; k++) /* the threshold is in the interval 1.9 to 2.1, or is not */
            g[k] = (grade_goal){.kind = GRADE_GOAL_SPEEDUP,
                                .points = 1 + k,
                                .threshold = rows[i].goal[k] == PASS   ? 1.5
                                             : rows[i].goal[k] == MISS ? 3
                                                                       : 2};
        grade_result r = begin(g, 2);
        r.verdict = rows[i].before;
        r.speedup = 2, r.ci_lo = 1.9, r.ci_hi = 2.1, r.time_us = 1;
        grade_judge(&r, &(grade_evidence){.outputs_right = true,
                                          .measured = true,
                                          .sampled = true,
                                          .finding = rows[i].finding ? &found : NULL});
        printf("# %zu\n", i);
        CHECK_INT(r.verdict, rows[i].verdict);
        CHECK_INT(grade_fails_surely(&r), rows[i].sure);
        const char *luck = "It earns points once the results do not depend on luck: see `correct`.";
        CHECK_INT(strstr(said(&r.goals[0].message), luck) != NULL, rows[i].finding);
        CHECK_NEAR(r.score, rows[i].score, 0);
        CHECK_NEAR(r.max_score, 3, 0);
        grade_result_free(&r);
    }
    /* Not measured, questions, and what another grading has told of counters. */
    grade_goal g[] = {{.kind = GRADE_GOAL_COUNTER, .name = "syncs", .threshold = 3, .points = 1},
                      {.kind = GRADE_GOAL_ANSWERS, .threshold = 1, .points = 2}};
    grade_result r = begin(g, 2), by = begin(g, 2);
    CHECK_STR(said(&r.goals[1].message), "not judged");
    CHECK_STR(said_zh(&r.goals[1].message), "未评判");
    CHECK_NEAR(r.max_score, 3, 0);
    grade_judge(&r, &(grade_evidence){.outputs_right = true});
    CHECK_STR(said(&r.goals[0].message),
              "not measured: the case on which this goal is judged did not run to its end");
    lib_message why;
    tell(&why, "n = 5: the program crashed", "n = 5：程序崩溃");
    grade_judge(&r, &(grade_evidence){.outputs_right = true, .unmeasured = &why});
    CHECK_STR(said(&r.goals[0].message), "not judged, because a case failed before this was "
                                         "measured: n = 5: the program crashed");
    CHECK_STR(said_zh(&r.goals[0].message), "未评判：还没有测量，用例就失败了：n = 5：程序崩溃");
    CHECK_STR(said(&r.goals[1].message), "scored by the questions at the prompt, not by a file");
    CHECK_INT(r.verdict, GRADE_FAIL);
    by.goals[0].pass = true;
    by.goals[0].expected = 3, by.goals[0].actual = 2;
    tell(&by.goals[0].message, "told", NULL);
    grade_judge(&r, &(grade_evidence){.outputs_right = true, .measured = true, .explained = &by});
    CHECK_STR(said(&r.goals[0].message), "told");
    CHECK(r.goals[0].pass && r.goals[0].expected == 3 && r.goals[0].actual == 2 && r.score == 1);
    grade_result_free(&r);
    grade_result_free(&by);
}

/* A call that takes more than 3 times the baseline's 10 us keeps at most half of the 10 points. */
static void slow_calls(void) {
    static const struct {
        double time, most, ci_hi;
        bool wrong, unmeasured, second_missed, slow;
        double first, second;
    } rows[] = {
        {.time = 30, .most = 3, .first = 3, .second = 7},
        {.time = 30.1, .most = 3, .slow = true, .first = 1.5, .second = 3.5},
        {.time = 91, .most = 3, .slow = true, .first = 1.5, .second = 3.5},
        {.time = 91, .most = 0, .first = 3, .second = 7},
        /* 3 of 10 points are less than half */
        {.time = 91, .most = 3, .second_missed = true, .slow = true, .first = 3},
        {.time = 91, .most = 3, .wrong = true},
        {.time = 91, .most = 3, .unmeasured = true},
        /* no program did anything on the device */
        {.time = 0, .most = 3, .first = 3, .second = 7},
        /* measured times: 1 / ci_hi is 2.5 or 5 times, at least */
        {.time = 40, .most = 3, .ci_hi = 0.4, .first = 3, .second = 7},
        {.time = 60, .most = 3, .ci_hi = 0.2, .slow = true, .first = 1.5, .second = 3.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g[2];
        for (int k = 0; k < 2; k++)
            g[k] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                                .name = "syncs",
                                .relation = GRADE_LE,
                                .threshold = k && rows[i].second_missed ? 1 : 5,
                                .points = k ? 7 : 3};
        const grade_metric_value value[2] = {{.status = METRIC_OK, .value = 4},
                                             {.status = METRIC_OK, .value = 4}};
        grade_result r = begin(g, 2);
        lab.slowest = (grade_goal){.kind = GRADE_GOAL_SLOWEST, .threshold = rows[i].most};
        r.time_us = rows[i].time, r.baseline_us = 10;
        r.ci_hi = rows[i].ci_hi;
        grade_evidence e = {.outputs_right = !rows[i].wrong,
                            .measured = !rows[i].unmeasured,
                            .sampled = rows[i].ci_hi > 0,
                            .student = value,
                            .baseline = value};
        printf("# %zu\n", i);
        for (int again = 0; again < 2; again++) {
            grade_judge(&r, &e);
            CHECK_INT(r.goal_count, rows[i].slow ? 3 : 2);
            CHECK_NEAR(r.goals[0].points, rows[i].first, 1e-12);
            CHECK_NEAR(r.goals[1].points, rows[i].second, 1e-12);
            CHECK_NEAR(r.score, rows[i].first + rows[i].second, 1e-12);
            CHECK_NEAR(r.max_score, 10, 0);
            CHECK_INT(r.verdict, rows[i].first + rows[i].second > 9 ? GRADE_PASS : GRADE_FAIL);
        }
        if (i == 2) {
            CHECK(!r.goals[2].pass);
            CHECK_NEAR(r.goals[2].points, 0, 0);
            CHECK_STR(said(&r.goals[2].message),
                      "The call takes 9.1 times as long as the baseline (91 us against 10 us); at "
                      "most 3 is asked. It keeps at most half of the points.");
            CHECK_STR(said_zh(&r.goals[2].message),
                      "调用所用的时间是基线的 9.1 倍（91 微秒，基线 10 微秒）；要求最多 3 倍。"
                      "这次调用最多保留一半的分。");
        }
        grade_result_free(&r);
    }
}

/* A lab of 10 points: outputs 4, a technique by two goals of 2 points (or by one of 4), and goals
 * of 1 point. A missed technique leaves at most half of (1 + the share of its points). */
static void main_goals(void) {
    static const struct {
        double correct, first, second, others; /* points; the others are two goals */
        int missed;                            /* bits: first, second, both others */
        bool main_first, main_second;
        double score;
        bool wrong, unmeasured;
    } rows[] = {
        {.correct = 4,
         .first = 2,
         .second = 2,
         .others = 1,
         .main_first = 1,
         .main_second = 1,
         .score = 10},
        {.correct = 4,
         .first = 2,
         .second = 2,
         .others = 1,
         .missed = 1,
         .main_first = 1,
         .main_second = 1,
         .score = 5},
        {.correct = 4,
         .first = 2,
         .second = 2,
         .others = 1,
         .missed = 3,
         .main_first = 1,
         .main_second = 1,
         .score = 5},
        /* an earned score below the limit stays; so does a score without a main goal missed */
        {.correct = 4,
         .first = 4,
         .second = 0,
         .others = 1,
         .missed = 5,
         .main_first = 1,
         .score = 4},
        {.correct = 4,
         .first = 2,
         .second = 2,
         .others = 1,
         .missed = 4,
         .main_first = 1,
         .main_second = 1,
         .score = 8},
        {.correct = 4,
         .first = 3,
         .second = 2,
         .others = 0.5,
         .missed = 2,
         .main_first = 1,
         .score = 8},
        /* no goal about a figure is worth a fifth */
        {.correct = 7, .first = 1, .second = 1, .others = 0.5, .missed = 3, .score = 8},
        /* nothing is known about the goals */
        {.correct = 4,
         .first = 2,
         .second = 2,
         .others = 1,
         .missed = 1,
         .main_first = 1,
         .main_second = 1,
         .score = 0,
         .wrong = true},
        {.correct = 6,
         .first = 2,
         .second = 2,
         .others = 0,
         .missed = 1,
         .main_first = 1,
         .main_second = 1,
         .score = 6,
         .unmeasured = true},
    };
    lab.slowest = (grade_goal){.kind = GRADE_GOAL_SLOWEST};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g[5] = {{.kind = GRADE_GOAL_CORRECT, .points = rows[i].correct}};
        for (int k = 1; k < 5; k++)
            g[k] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                                .name = "syncs",
                                .relation = GRADE_LE,
                                .threshold = rows[i].missed >> (k < 3 ? k - 1 : 2) & 1 ? 1 : 5,
                                .points = k == 1   ? rows[i].first
                                          : k == 2 ? rows[i].second
                                                   : rows[i].others};
        const grade_metric_value value[5] = {
            {0}, {.value = 4}, {.value = 4}, {.value = 4}, {.value = 4}};
        grade_result r = begin(g, 5);
        grade_evidence e = {.outputs_right = !rows[i].wrong,
                            .measured = !rows[i].unmeasured,
                            .student = value,
                            .baseline = value};
        printf("# %zu\n", i);
        CHECK_INT(grade_goal_main(&lab, &g[0]), false);
        CHECK_INT(grade_goal_main(&lab, &g[1]), rows[i].main_first);
        CHECK_INT(grade_goal_main(&lab, &g[2]), rows[i].main_second);
        CHECK_INT(grade_goal_main(&lab, &g[3]), false);
        grade_judge(&r, &e);
        CHECK_NEAR(r.score, rows[i].score, 1e-12);
        CHECK_NEAR(r.max_score, 10, 0);
        if (i == 1) {
            CHECK_NEAR(r.goals[0].points, 2.5, 1e-12); /* 5 of 8 of its points */
            CHECK(strstr(said(&r.goals[1].message),
                         "It is a main goal of this lab: a program that misses it gets at most 5 "
                         "of 10 points."));
            CHECK(strstr(said_zh(&r.goals[1].message),
                         "这是本实验的主要目标：没有达到它的程序，最多得 10 分中的 5 分。"));
        }
        grade_result_free(&r);
    }
    /* Part of a main goal's points: all at twice the baseline's speed, none at its speed. */
    grade_goal g[2] = {
        {.kind = GRADE_GOAL_CORRECT, .points = 5},
        {.kind = GRADE_GOAL_SPEEDUP, .threshold = 2, .full_at = 2, .none_at = 1, .points = 5}};
    const grade_metric_value none[2] = {{0}, {0}};
    grade_result r = begin(g, 2);
    r.time_us = 10, r.baseline_us = 40. / 3; /* a speed of 4/3: half of the time that is left */
    r.speedup = 4. / 3;
    grade_judge(&r,
                &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = none, .baseline = none});
    CHECK_NEAR(r.score, 7.5, 1e-12); /* 5 + 2.5 of 10, and half of (1 + 0.5) */
    g[0].points = 8, g[1].points = 2;
    grade_judge(&r,
                &(grade_evidence){
                    .outputs_right = true, .measured = true, .student = none, .baseline = none});
    CHECK_NEAR(r.score, 7.5, 1e-12); /* not 8 + 1 */
    grade_result_free(&r);
}

/* A near case misses a goal if its figure is more than 1.5 times its limit (a speed: half of it).
 * The limit is relative to the baseline's figure there; a plain number moves with the baseline's
 * figure, from the timed case to the near one. */
static void near_goals(void) {
    static const struct {
        grade_relation rel;
        bool relative;
        double threshold, mine, base, timed;
        metric_status status, base_status;
        bool far;
    } rows[] = {
        {GRADE_LE, true, 0.2, 30, 100, 1000, METRIC_OK, METRIC_OK, false},
        {GRADE_LE, true, 0.2, 31, 100, 1000, METRIC_OK, METRIC_OK, true},
        {GRADE_LE, true, 0.2, 31, 100, 1000, METRIC_OK, METRIC_UNKNOWN, false},
        {GRADE_LE, true, 0.2, 1, 100, 1000, METRIC_NO_LAUNCH, METRIC_OK, true},
        {GRADE_LE, true, 0.2, 1, 100, 1000, METRIC_UNDEFINED, METRIC_OK, true},
        {GRADE_LE, true, 0.2, 99, 100, 1000, METRIC_UNKNOWN, METRIC_OK, false},
        {GRADE_LE, false, 20, 30, 0, 0, METRIC_OK, METRIC_OK, false},
        {GRADE_LE, false, 20, 31, 0, 0, METRIC_OK, METRIC_OK, true},
        {GRADE_LE, false, 0, 1, 0, 0, METRIC_OK, METRIC_OK, true},
        {GRADE_LT, false, 20, 36, 60, 50, METRIC_OK, METRIC_OK, false}, /* 20 * 1.2 * 1.5 */
        {GRADE_LT, false, 20, 37, 60, 50, METRIC_OK, METRIC_OK, true},
        {GRADE_LT, false, 20, 30, 40, 50, METRIC_OK, METRIC_OK, false}, /* it does not shrink */
        {GRADE_GE, true, 0.75, 50, 100, 100, METRIC_OK, METRIC_OK, false},
        {GRADE_GE, true, 0.75, 49, 100, 100, METRIC_OK, METRIC_OK, true},
        {GRADE_GT, false, 60, 40, 0, 9, METRIC_OK, METRIC_OK, false},
        {GRADE_GT, false, 60, 39, 0, 9, METRIC_OK, METRIC_OK, true},
        {GRADE_GE, false, 60, 32, 8, 10, METRIC_OK, METRIC_OK, false}, /* 60 * 0.8 / 1.5 */
        {GRADE_GE, false, 60, 31, 8, 10, METRIC_OK, METRIC_OK, true},
        {GRADE_EQ, false, 60, 1, 0, 0, METRIC_OK, METRIC_OK, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_goal g = {.kind = GRADE_GOAL_COUNTER,
                        .name = "syncs",
                        .relation = rows[i].rel,
                        .relative = rows[i].relative,
                        .threshold = rows[i].threshold};
        grade_metric_value mine = {.status = rows[i].status, .value = rows[i].mine},
                           base = {.status = rows[i].base_status, .value = rows[i].base},
                           timed = {.value = rows[i].timed};
        printf("# %zu\n", i);
        CHECK_INT(grade_goal_far(&g, &(goal_near){&mine, &base, &timed, 0}), rows[i].far);
    }
    grade_goal speed = {.kind = GRADE_GOAL_SPEEDUP, .threshold = 3};
    static const double at[] = {0, 1.5, 1.49};
    for (int k = 0; k < 3; k++)
        CHECK_INT(grade_goal_far(&speed, &(goal_near){.speedup = at[k]}), k == 2);
    CHECK(!grade_goal_far(&(grade_goal){.kind = GRADE_GOAL_CORRECT}, &(goal_near){0}));

    /* The goal is then missed, and says so; here it is the main one. */
    grade_goal g[2] = {{.kind = GRADE_GOAL_CORRECT, .points = 5},
                       {.kind = GRADE_GOAL_COUNTER,
                        .name = "syncs",
                        .relation = GRADE_LE,
                        .threshold = 5,
                        .points = 5}};
    const grade_metric_value value[2] = {{0}, {.value = 4}};
    const bool far[2] = {false, true};
    grade_result r = begin(g, 2);
    grade_evidence e = {
        .outputs_right = true, .measured = true, .far = far, .student = value, .baseline = value};
    grade_judge(&r, &e);
    CHECK_NEAR(r.score, 5, 0);
    CHECK(!r.goals[1].pass && r.verdict == GRADE_FAIL);
    CHECK(strstr(said(&r.goals[1].message), "a hidden case of a similar size misses it by far"));
    CHECK(strstr(said_zh(&r.goals[1].message), "只有计时用例的规模达到了这个目标"));
    grade_result_free(&r);
}

int main(void) {
    near_goals();
    main_goals();
    slow_calls();
    correct();
    hidden_sizes();
    nothing_ran();
    counters();
    directions();
    bars();
    speedups();
    fractions();
    tiers();
    kinds();
    limiters();
    verdicts();
    return check_done();
}
