/* What a lab's author got wrong, told before a student meets it: from a lab that is right, one
 * thing changed at a time. */
#include <math.h>
#include <stdlib.h>
#include "runner/base/message.h"
#include "grader/lab.h"
#include "tests/check.h"
#include "tests/said.h"

static lib_message msg;
static grade_lab lab;
static grade_arg args[25];
static grade_goal goals[3];
static grade_case cases[2];
static grade_range ranges[1];
static grade_param small[] = {{"n", 10}}, large[] = {{"n", 1000}};

static grade_expr *expr(const char *text) {
    grade_expr *e = grade_expr_new(text, &msg);
    if (!e) printf("# %s\n", said(&msg));
    return e;
}

/* f(const float *a, float *c, int n) with a counter goal and one of speed. */
static void begin(void) {
    for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
        grade_expr_free(args[i].count);
        grade_expr_free(args[i].value);
        grade_expr_free(args[i].ops);
    }
    memset(args, 0, sizeof args);
    args[0] = (grade_arg){.name = "a", .type = GRADE_F32, .role = GRADE_INPUT, .count = expr("n")};
    args[1] = (grade_arg){.name = "c", .type = GRADE_F32, .role = GRADE_OUTPUT, .count = expr("n")};
    args[2] = (grade_arg){.name = "n", .type = GRADE_I32, .role = GRADE_SCALAR, .value = expr("n")};
    goals[0] = (grade_goal){.kind = GRADE_GOAL_CORRECT, .points = 4};
    goals[1] = (grade_goal){.kind = GRADE_GOAL_COUNTER, .name = "gld_sectors", .points = 1};
    goals[2] = (grade_goal){
        .kind = GRADE_GOAL_SPEEDUP, .threshold = 2, .full_at = 2, .none_at = 1, .points = 5};
    cases[0] = (grade_case){.params = small, .param_count = 1};
    cases[1] = (grade_case){.params = large, .param_count = 1, .timed = true};
    ranges[0] = (grade_range){.name = "n", .lo = 1, .hi = 100, .multiple = 1};
    lab = (grade_lab){.id = "t",
                      .entry = "f",
                      .args = args,
                      .arg_count = 3,
                      .goals = goals,
                      .goal_count = 3,
                      .cases = cases,
                      .case_count = 2,
                      .ranges = ranges,
                      .range_count = 1,
                      .hidden_cases = 2};
}

static void told(const char *part, int line) {
    bool ok = grade_lab_check(&lab, &msg);
    check_that(*part ? !ok && strstr(said(&msg), part) : ok, __FILE__, line,
               *part ? part : "it is right", ok ? "nothing is told" : said(&msg));
    begin();
}
#define TOLD(part) told(part, __LINE__)

/* A scalar that is the same in every case can be left unread. */
static void scalars(void) {
    begin();
    CHECK(!grade_lab_constant_scalar(&lab)); /* n: 10, 1000 and hidden ones */
    CHECK(!grade_lab_fixed_parameter(&lab));
    ranges[0].lo = ranges[0].hi;
    CHECK_STR(grade_lab_fixed_parameter(&lab), "n");
    begin();
    ranges[0].name = "m"; /* so n keeps the value of the first public case */
    CHECK_STR(grade_lab_fixed_parameter(&lab), "n");
    lab.hidden_cases = 0;
    CHECK(!grade_lab_fixed_parameter(&lab));
    begin();
    grade_expr_free(args[2].value);
    args[2].value = expr("7");
    CHECK_STR(grade_lab_constant_scalar(&lab), "n");
    grade_expr_free(args[2].value);
    args[2].value = expr("m");
    small[0].name = large[0].name = "m";
    large[0].value = small[0].value;
    lab.hidden_cases = 0, lab.range_count = 0;
    CHECK_STR(grade_lab_constant_scalar(&lab), "n");
    /* the hidden cases alone make it vary */
    ranges[0].name = "m", lab.range_count = 1, lab.hidden_cases = 2;
    CHECK(!grade_lab_constant_scalar(&lab));
    small[0].name = large[0].name = "n", large[0].value = 1000;
    begin();
}

int main(void) {
    scalars();
    begin();
    TOLD("");
    lab.case_count = 0;
    TOLD("lab t: it has no case");
    grade_expr_free(args[0].count);
    args[0].count = NULL;
    TOLD("no number of elements for the buffer 'a'");
    args[2].type = GRADE_F16;
    TOLD("a half cannot be passed by value: 'n'");
    args[2].type = GRADE_F32;
    TOLD("");
    args[1].role = GRADE_INPUT;
    TOLD("no argument is an output");
    args[1].role = GRADE_INPUT;
    lab.whole_program = true;
    TOLD("");
    args[1].role = GRADE_INOUT;
    TOLD("");
    for (size_t n = 24; n < 26; n++) {
        for (size_t i = 3; i < n; i++)
            args[i] = (grade_arg){.name = "x", .type = GRADE_I32, .role = GRADE_SCALAR};
        lab.arg_count = n;
        TOLD(n > 24 ? "more than 24 arguments" : "");
    }
    goals[1].points = -1;
    TOLD("points are not a number of 0 or more");
    goals[1].points = NAN;
    TOLD("points are not a number of 0 or more");
    goals[1].points = INFINITY;
    TOLD("points are not a number of 0 or more");
    goals[1].points = 0;
    TOLD("");
    goals[0].points = 0;
    TOLD("no goal of correctness");
    goals[0].kind = GRADE_GOAL_COUNTER, goals[0].name = "gld_sectors";
    TOLD("no goal of correctness");
    goals[1].name = NULL;
    TOLD("a goal names a counter that there is not");
    goals[1].per = "max";
    TOLD("");
    goals[1].per = "min";
    TOLD("`per` is \"max\", \"thread\" or left out, not 'min'");
    goals[1].per = "thread";
    TOLD("per = \"thread\" is for an at_most of a sum, with a limit of NUMBER * baseline");
    goals[1].per = "thread", goals[1].relative = true;
    TOLD("");
    goals[1].per = "thread", goals[1].relative = true;
    goals[1].name = "gld_sectors_per_request"; /* a ratio */
    TOLD("per = \"thread\" is for an at_most of a sum, with a limit of NUMBER * baseline");
    goals[1].per = "thread", goals[1].relative = true, goals[1].relation = GRADE_GE;
    TOLD("per = \"thread\" is for an at_most of a sum, with a limit of NUMBER * baseline");
    cases[1].timed = false;
    TOLD("a goal of speed needs a case that is timed");
    cases[1].timed = false, cases[0].timed = true;
    TOLD("");
    cases[1].timed = false, lab.goal_count = 2;
    TOLD("");
    goals[2].kind = GRADE_GOAL_FRACTION, goals[2].name = "copy", goals[2].full_at = 0;
    TOLD("");
    goals[2].kind = GRADE_GOAL_FRACTION, goals[2].name = "fp32", goals[2].full_at = 0;
    TOLD("");
    goals[2].kind = GRADE_GOAL_FRACTION, goals[2].name = "fp64";
    TOLD("a fraction is of \"copy\" or \"fp32\", not of 'fp64'");
    goals[2].kind = GRADE_GOAL_FRACTION, goals[2].name = NULL;
    TOLD("a fraction is of \"copy\" or \"fp32\"");
    goals[2].kind = GRADE_GOAL_FRACTION, goals[2].name = "copy", cases[1].timed = false;
    TOLD("a goal of speed needs a case that is timed");
    goals[2].none_at = 2;
    TOLD("the curve of a speed goal must earn nothing at a lower speed");
    goals[2].none_at = 3;
    TOLD("the curve of a speed goal must earn nothing at a lower speed");
    goals[2].none_at = 1.99;
    TOLD("");
    goals[2].none_at = 0;
    TOLD("");
    static const struct {
        double at[3];
        const char *told;
    } tiers[] = {{{0.4, 0.6, 0.8}, ""},
                 {{0.4, 0.6, 1}, ""},
                 {{0, 0.6, 0.8}, "each above the one before"},
                 {{0.6, 0.6, 0.8}, "each above the one before"},
                 {{0.4, 0.8, 0.8}, "each above the one before"},
                 {{0.4, 0.6, 1.01}, "each above the one before"}};
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
        goals[2] =
            (grade_goal){.kind = GRADE_GOAL_TIERS, .name = "copy", .own = tiers[i].at, .points = 5};
        TOLD(tiers[i].told);
    }
    goals[2] =
        (grade_goal){.kind = GRADE_GOAL_TIERS, .name = "fp64", .own = tiers[0].at, .points = 5};
    TOLD("tiers are of \"copy\" or \"fp32\", not of 'fp64'");
    goals[2] =
        (grade_goal){.kind = GRADE_GOAL_TIERS, .name = "copy", .own = tiers[0].at, .points = 5};
    cases[1].timed = false;
    TOLD("a goal of speed needs a case that is timed");
    ranges[0].lo = 101;
    TOLD("the range ends below its start: 'n'");
    ranges[0].lo = 100;
    TOLD("");
    /* 8 GiB of buffers and no more: two of 4 bytes an element */
    lab.near_none = true; /* a near case would have more */
    large[0].value = 0x1p30;
    TOLD("");
    large[0].value = 0x1p30 + 1;
    TOLD("lab t, case n = 1073741825: the buffers take more than 8 GiB");
    large[0].value = 1000;
    args[0].ops = expr("m");
    TOLD("no parameter of that name");
    /* without an entry there is nothing to measure */
    lab.entry = NULL;
    TOLD("without an `entry` its goals can only be answers, not 'correct'");
    lab.entry = NULL, lab.goal_count = 1, goals[0].kind = GRADE_GOAL_ANSWER;
    TOLD("");
    lab.entry = NULL, lab.goal_count = 1, goals[0].kind = GRADE_GOAL_ANSWERS;
    TOLD("");
    lab.entry = NULL, lab.goal_count = 1, goals[0].kind = GRADE_GOAL_ANSWER, goals[0].points = 0;
    TOLD("its goals give no points");
    lab.goal_count = 1, goals[0].kind = GRADE_GOAL_ANSWERS;
    TOLD("");
    return check_done();
}
