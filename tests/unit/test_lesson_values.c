/* A lesson as a struct lab, field by field: what each part of labs/ID.lua becomes, the values of
 * fields that are not there, and the last of what may be there. Expected values are the lesson's
 * own, and the defaults that lab.h and docs/lessons promise. */
#include <stdlib.h>
#include <unistd.h>
#include "runner/lesson/lab.h"
#include "grader/lab.h"
#include "tests/unit/folder_fixture.h"
#include "tests/said.h"

#define HEAD                                                                                        \
    "return lab {\n id = \"t\", title = { en = \"Title\", zh = \"标题\" }, chapter = 3, minutes " \
    "= 10,\n"
#define PAIR "en = \"x\", zh = \"字\""
#define ENDS                                                                                        \
    "hints = { { en = \"h1\", zh = \"一\" }, { en = \"h2\", zh = \"二\", goal = \"gld_sectors\" " \
    "}, "                                                                                           \
    "{ en = \"h3\", zh = \"三\", goal = \"correct\" } },\n"                                        \
    "after = { en = \"a\", zh = \"后\" }, more = { en = \"m\", zh = \"多\" },\n"
#define EXERCISE "exercise { " PAIR " }"

static lab *load(const char *text) {
    put("labs/t.lua", text);
    msg = (lib_message){0};
    lab *l = lab_load(root, "t", &msg);
    if (!l) printf("# %s\n", said(&msg));
    return l;
}

/* ---- arguments ---- */

/* An expression's value in the case n = 10; NAN: there is none. */
static double at_ten(const grade_expr *e) {
    grade_param n = {"n", 10};
    double v = -1;
    lib_message m;
    return e ? grade_expr_eval(e, &n, 1, &v, &m) ? v : INFINITY : NAN;
}
static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* As many parameters as an entry may have: all generators, roles, and most types. */
static void arguments(void) {
    static const char text[] = HEAD
        "entry = \"void f(const float *a, const int *b, const double *c, const int *d, const short "
        "*e, "
        "const long long *f, const float *g, const float *h, const uint8_t *i, const unsigned *j, "
        "const int *k, const int *l, float *o, float *p, float *q, const float *r, float *s, "
        "double *t, int n, unsigned m, double x, size_t y, char z, half *w)\",\n"
        "args = {\n"
        " a = uniform(-1, 2, \"n\"), b = integers(3, \"n - 1\", \"n + 1\"),\n"
        " c = normal(0.5, 2, \"2 * n\"), d = iota(7), e = iota(\"n\", 5), f = iota(\"n\", 5, 3),\n"
        " g = zeros(\"n\"), h = constant(9, \"n\"), i = skewed(1, 255, \"n\"),\n"
        " j = sorted(\"n\", \"2 * n\", \"n\"), k = csr_rows(1, 4, \"n + 1\"),\n"
        " l = csr_cols(0, 8, \"4 * n\"), o = output(\"n\"),\n"
        " p = output(\"n\", { ops = \"n\", rtol = 0.5, atol = 0.25, pinned = false }),\n"
        " q = inout(zeros(\"n + 2\"), { atol = 0 }),\n"
        " r = host(uniform(0, 3, \"n\"), { pinned = true }), s = host(output(\"n\")),\n"
        " t = host(inout(constant(2, \"n\"), { ops = 3 }), { rtol = 0.125 }),\n"
        " m = scalar(\"n * 2\"), x = scalar(0.5), y = scalar(\"n\"), z = scalar(1), w = "
        "output(\"n\", {}) },\n"
        "cases = { { n = 10 }, { n = 1000, timed = true } }, goals = { correct { points = 1 }, "
        "at_most(\"gld_sectors\", 9) { points = 1 } },\n" ENDS "steps = { " EXERCISE " } }\n";
    const double no = NAN;
    const struct {
        const char *name;
        grade_type type;
        grade_arg_role role;
        double count, value;
        grade_gen gen;
        double lo, hi, lo_at, hi_at;
        bool host, pinned;
        double ops, rtol, atol;
    } want[] = {
        {"a", GRADE_F32, GRADE_INPUT, 10, no, GRADE_GEN_UNIFORM, -1, 2, no, no, 0, 0, no, -1, -1},
        {"b", GRADE_I32, GRADE_INPUT, 11, no, GRADE_GEN_INTEGERS, 3, 1, no, 9, 0, 0, no, -1, -1},
        {"c", GRADE_F64, GRADE_INPUT, 20, no, GRADE_GEN_NORMAL, 0.5, 2, no, no, 0, 0, no, -1, -1},
        /* without them a generator's range is from 0 in steps of, or to, 1 */
        {"d", GRADE_I32, GRADE_INPUT, 7, no, GRADE_GEN_IOTA, 0, 1, no, no, 0, 0, no, -1, -1},
        {"e", GRADE_I16, GRADE_INPUT, 10, no, GRADE_GEN_IOTA, 5, 1, no, no, 0, 0, no, -1, -1},
        {"f", GRADE_I64, GRADE_INPUT, 10, no, GRADE_GEN_IOTA, 5, 3, no, no, 0, 0, no, -1, -1},
        {"g", GRADE_F32, GRADE_INPUT, 10, no, GRADE_GEN_ZERO, 0, 1, no, no, 0, 0, no, -1, -1},
        {"h", GRADE_F32, GRADE_INPUT, 10, no, GRADE_GEN_CONSTANT, 9, 1, no, no, 0, 0, no, -1, -1},
        {"i", GRADE_U8, GRADE_INPUT, 10, no, GRADE_GEN_SKEWED, 1, 255, no, no, 0, 0, no, -1, -1},
        {"j", GRADE_U32, GRADE_INPUT, 10, no, GRADE_GEN_SORTED, 0, 1, 10, 20, 0, 0, no, -1, -1},
        {"k", GRADE_I32, GRADE_INPUT, 11, no, GRADE_GEN_CSR_ROWS, 1, 4, no, no, 0, 0, no, -1, -1},
        {"l", GRADE_I32, GRADE_INPUT, 40, no, GRADE_GEN_CSR_COLS, 0, 8, no, no, 0, 0, no, -1, -1},
        {"o", GRADE_F32, GRADE_OUTPUT, 10, no, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"p", GRADE_F32, GRADE_OUTPUT, 10, no, 0, 0, 0, no, no, 0, 0, 10, 0.5, 0.25},
        {"q", GRADE_F32, GRADE_INOUT, 12, no, GRADE_GEN_ZERO, 0, 1, no, no, 0, 0, no, -1, 0},
        {"r", GRADE_F32, GRADE_INPUT, 10, no, GRADE_GEN_UNIFORM, 0, 3, no, no, 1, 1, no, -1, -1},
        {"s", GRADE_F32, GRADE_OUTPUT, 10, no, 0, 0, 0, no, no, 1, 0, no, -1, -1},
        {"t", GRADE_F64, GRADE_INOUT, 10, no, GRADE_GEN_CONSTANT, 2, 1, no, no, 1, 0, 3, -1, -1},
        {"n", GRADE_I32, GRADE_SCALAR, no, 10, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"m", GRADE_U32, GRADE_SCALAR, no, 20, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"x", GRADE_F64, GRADE_SCALAR, no, 0.5, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"y", GRADE_U64, GRADE_SCALAR, no, 10, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"z", GRADE_I8, GRADE_SCALAR, no, 1, 0, 0, 0, no, no, 0, 0, no, -1, -1},
        {"w", GRADE_F16, GRADE_OUTPUT, 10, no, 0, 0, 0, no, no, 0, 0, no, -1, -1}};
    enum { ARGS = sizeof want / sizeof *want };
    lab *l = load(text);
    CHECK_INT(l ? l->grade.arg_count : 0, ARGS);
    for (size_t k = 0; l && k < ARGS; k++) {
        const grade_arg *a = &l->grade.args[k];
        CHECK_STR(a->name, want[k].name);
        CHECK(a->type == want[k].type && a->role == want[k].role && a->gen == want[k].gen);
        CHECK(same(at_ten(a->count), want[k].count) && same(at_ten(a->value), want[k].value));
        CHECK(a->lo == want[k].lo && a->hi == want[k].hi);
        CHECK(same(at_ten(a->lo_expr), want[k].lo_at) && same(at_ten(a->hi_expr), want[k].hi_at));
        CHECK(a->host == want[k].host && a->pinned == want[k].pinned);
        CHECK(same(at_ten(a->ops), want[k].ops));
        CHECK_NEAR(a->rtol, want[k].rtol, 0);
        CHECK_NEAR(a->atol, want[k].atol, 0);
    }
    lab_free(l);
    /* All that an entry may have, each with a generator of two bounds. */
    char entry[600] = "void f(", args[1500] = "", many[4000];
    for (int k = 0; k < ARGS; k++) {
        size_t n = strlen(entry), m = strlen(args);
        bool out = k == ARGS - 1;
        snprintf(entry + n, sizeof entry - n, "%s%s *%c", k ? ", " : "",
                 out ? "float" : "const float", 'a' + k);
        if (out) snprintf(args + m, sizeof args - m, "%c = output(\"n\")", 'a' + k);
        else
            snprintf(args + m, sizeof args - m, "%c = uniform(%d, \"n + %d\", %d), ", 'a' + k, k, k,
                     100 + k);
    }
    snprintf(many, sizeof many,
             HEAD "entry = \"%s)\", args = { %s },\n"
                  "cases = { { n = 10, timed = true } }, goals = { correct { points = 1 } },\n" ENDS
                  "steps = { " EXERCISE " } }\n",
             entry, args);
    char *goal = strstr(many, "goal = \"gld_sectors\"");
    if (goal) memcpy(goal, "goal = \"correct\"    ", 20);
    l = load(many);
    CHECK_INT(l ? l->grade.arg_count : 0, ARGS);
    for (size_t k = 0; l && k + 1 < ARGS; k++) {
        const grade_arg *a = &l->grade.args[k];
        CHECK(a->role == GRADE_INPUT && at_ten(a->count) == 100 + (double)k);
        CHECK(a->lo == (double)k && at_ten(a->hi_expr) == 10 + (double)k);
    }
    lab_free(l);
    /* A program without buffers. */
    l = load(
        HEAD
        "entry = \"void f(int n, double x)\", program = true, args = { x = scalar(\"n / 4\") },\n"
        "cases = { { n = 10, timed = true } }, goals = { correct { points = 1 } },\n"
        "hints = { { " PAIR " }, { " PAIR " }, { " PAIR " } }, after = { " PAIR " }, more = { " PAIR
        " }, steps = { " EXERCISE " } }");
    CHECK(l && l->grade.arg_count == 2 && at_ten(l->grade.args[0].value) == 10 &&
          at_ten(l->grade.args[1].value) == 2);
    lab_free(l);
}

/* ---- the rest of what the grader is told ---- */

#define GRADED(fields)                                                                             \
    HEAD "entry = \"void f(const float *a, float *c, int n)\",\n"                                  \
         "args = { a = zeros(\"n\"), c = output(\"n\") },\n" fields "hints = { { " PAIR            \
         " }, { " PAIR " }, { " PAIR " } }, after = { " PAIR " }, more = { " PAIR                  \
         " },\nsteps = { " EXERCISE " } }"
#define CASES "cases = { { n = 10 }, { n = 1000, timed = true } },\n"

static void goals(void) {
    lab *l = load(GRADED(
        CASES
        "goals = { correct { points = 4, en = \"wrong\", zh = \"错\" },\n"
        "counter(\"gld_sectors\", \"<=\", 4) { points = 1 },\n"
        "counter(\"gst_sectors\", \"<\", 5) { points = 0.5, per = \"max\", kernel = \"k\" },\n"
        "counter(\"kernel_us\", \"==\", 6) { points = 0, kernel = \"k\", beside = \"b\" },\n"
        "counter(\"launches\", \">=\", 7) { points = 1000 }, counter(\"launches\", \">\", 8) { "
        "points = 2 },\n"
        "at_most(\"gld_sectors\", 9) { points = 1, kernel = \"k\" },\n"
        "at_least(\"gld_sectors\", 0.5 * baseline) { points = 1, per = \"max\" },\n"
        "speedup(2) { points = 1 }, speedup(3) { points = 1, full = 4, none = 1 },\n"
        "fraction(\"copy\", 0.5) { points = 1 }, fraction(\"fp32\", 1) { points = 1, full = 0.75, "
        "none = 0.25 },\n"
        "tiers(\"fp32\") { points = 4, bronze = 0.25, silver = 0.5, gold = 1 },\n"
        "answer(\"l-1\") { points = 1, is = \"limiter\" },\n"
        "answer(\"t\") { points = 1, is = \"text\", accept = { \"a\", \"b\" } },\n"
        "answer(\"w\") { points = 1, is = \"line\", finding = \"oob\" },\n"
        "answer(\"c\") { points = 1, is = \"line\", counter = \"gld_sectors\" },\n"
        "answer(\"n\") { points = 1, is = \"number\", counter = \"launches\", tolerance = 0.25, of "
        "= "
        "\"baseline\" } },\n"));
    static const double tiers[] = {0.25, 0.5, 1};
    static const grade_goal want[] = {
        {.kind = GRADE_GOAL_CORRECT, .points = 4, .message = {"wrong", "错"}},
        {GRADE_GOAL_COUNTER, "gld_sectors", GRADE_LE, 4, .points = 1},
        {GRADE_GOAL_COUNTER, "gst_sectors", GRADE_LT, 5, .points = 0.5, .per = "max",
         .kernel = "k"},
        {GRADE_GOAL_COUNTER, "kernel_us", GRADE_EQ, 6, .kernel = "k", .than = "b"},
        {GRADE_GOAL_COUNTER, "launches", GRADE_GE, 7, .points = 1000},
        {GRADE_GOAL_COUNTER, "launches", GRADE_GT, 8, .points = 2},
        {GRADE_GOAL_COUNTER, "gld_sectors", GRADE_LE, 9, .points = 1, .kernel = "k"},
        {GRADE_GOAL_COUNTER, "gld_sectors", GRADE_GE, 0.5, true, 1, .per = "max"},
        /* partial credit from a tenth of the threshold on */
        {GRADE_GOAL_SPEEDUP, NULL, GRADE_GE, 2, .points = 1, .full_at = 2, .none_at = 0.2},
        {GRADE_GOAL_SPEEDUP, NULL, GRADE_GE, 3, .points = 1, .full_at = 4, .none_at = 1},
        {GRADE_GOAL_FRACTION, "copy", GRADE_GE, 0.5, .points = 1, .full_at = 0.5, .none_at = 0.05},
        {GRADE_GOAL_FRACTION, "fp32", GRADE_GE, 1, .points = 1, .full_at = 0.75, .none_at = 0.25},
        {GRADE_GOAL_TIERS, "fp32", GRADE_GE, 0.25, .points = 4, .own = tiers},
        {.kind = GRADE_GOAL_ANSWER, .name = "l-1", .points = 1},
        {.kind = GRADE_GOAL_ANSWER, .name = "t", .points = 1},
        {.kind = GRADE_GOAL_ANSWER, .name = "w", .points = 1},
        {.kind = GRADE_GOAL_ANSWER, .name = "c", .points = 1},
        {.kind = GRADE_GOAL_ANSWER, .name = "n", .points = 1}};
    enum { GOALS = sizeof want / sizeof *want };
#define SAME(a, b) (!(a) || !(b) ? (a) == (b) : !strcmp(a, b))
    CHECK_INT(l ? l->grade.goal_count : 0, GOALS);
    for (size_t k = 0; l && k < GOALS; k++) {
        const grade_goal *g = &l->grade.goals[k], *w = &want[k];
        CHECK(g->kind == w->kind && g->relation == w->relation && g->relative == w->relative);
        CHECK(SAME(g->name, w->name) && SAME(g->per, w->per) && SAME(g->kernel, w->kernel) &&
              SAME(g->than, w->than));
        CHECK_NEAR(g->threshold, w->threshold, 0);
        CHECK_NEAR(g->points, w->points, 0);
        CHECK_NEAR(g->full_at, w->full_at, 0);
        CHECK_NEAR(g->none_at, w->none_at, 0);
        for (int i = 0; i < LIB_LANGS; i++) CHECK(SAME(g->message[i], w->message[i]));
        CHECK((g->said != NULL) == (g->kind == GRADE_GOAL_ANSWER));
        CHECK(!w->own ? !g->own : g->own && !memcmp(g->own, w->own, sizeof tiers));
    }
    static const grade_said said[] = {
        {.kind = GRADE_SAID_LIMITER},
        {.kind = GRADE_SAID_TEXT, .accept_count = 2},
        {.kind = GRADE_SAID_FINDING_LINE, .finding = SIM_FIND_OOB},
        {.kind = GRADE_SAID_LINE, .counter = "gld_sectors"},
        {.kind = GRADE_SAID_NUMBER, .counter = "launches", .tolerance = 0.25}};
    for (size_t k = 0; l && k < sizeof said / sizeof *said; k++) {
        const grade_said *s = l->grade.goals[GOALS - 5 + k].said;
        CHECK(s->kind == said[k].kind && s->finding == said[k].finding && !s->access_count);
        CHECK(SAME(s->counter, said[k].counter) && s->tolerance == said[k].tolerance &&
              s->accept_count == said[k].accept_count);
        CHECK_INT(l->asked[GOALS - 5 + k].of, k == 4 ? LAB_OF_BASELINE : LAB_OF_MINE);
    }
    lab_free(l);
}

static void cases(void) {
    lab *l = load(GRADED(
        "cases = { { n = 10, m = 2, b = 1 }, { n = 1000, m = 3, b = 0.5, timed = true } },\n"
        "hidden = { n = { 1, 50, multiple = 2 }, b = { -1, -1 } }, time_limit = 2.5, host_time = "
        "true, warm = true, host = \"flags\", forbid = { \"x::\" }, device_memory = \"1.5 GB\", "
        "needs = { \"u\", \"v\" }, source = \"book\",\n"
        "debug = { case = 2, at = { \"p\", \"q\" }, en = \"d\", zh = \"查\" },\n"
        "goals = { correct { points = 1 } },\n"));
    if (CHECK(l != NULL) && l) {
        const grade_lab *g = &l->grade;
        CHECK_INT(g->case_count, 2);
        static const char *const names[] = {"b", "m", "n"}; /* sorted */
        static const double values[2][3] = {{1, 2, 10}, {0.5, 3, 1000}};
        for (size_t k = 0; k < 2; k++) {
            CHECK(g->cases[k].timed == (k == 1) && g->cases[k].param_count == 3);
            for (size_t i = 0; i < 3; i++)
                CHECK(!strcmp(g->cases[k].params[i].name, names[i]) &&
                      g->cases[k].params[i].value == values[k][i]);
        }
        CHECK(g->range_count == 2 && g->hidden_cases == 3);
        static const grade_range ranges[] = {{.name = "b", .lo = -1, .hi = -1, .multiple = 1},
                                             {.name = "n", .lo = 1, .hi = 50, .multiple = 2}};
        for (size_t k = 0; k < 2; k++)
            CHECK(!strcmp(g->ranges[k].name, ranges[k].name) && g->ranges[k].lo == ranges[k].lo &&
                  g->ranges[k].hi == ranges[k].hi && g->ranges[k].multiple == ranges[k].multiple);
        CHECK(g->time_limit_s == 2.5 && g->host_time && g->warm &&
              g->host_work == GRADE_HOST_FLAGS);
        CHECK(g->forbidden_count == 1 && !strcmp(g->forbidden[0], "x::"));
        CHECK_INT(g->device_memory, 3ll << 29);
        CHECK(l->chapter == 3 && l->minutes == 10 && l->need_count == 2 && !l->quiz);
        CHECK_STR(l->needs[0], "u");
        CHECK_STR(l->needs[1], "v");
        CHECK_STR(l->source, "book");
        CHECK(l->debug.number == 2 && l->debug.at_count == 2 && !strcmp(l->debug.at[1], "q"));
        CHECK_STR(l->debug.text.text[LIB_ZH], "查");
        CHECK_STR(g->title[LIB_EN], "Title");
        CHECK_STR(g->title[LIB_ZH], "标题");
        CHECK_STR(g->entry, "f");
    }
    lab_free(l);
    /* What none of these fields say. */
    l = load(GRADED(CASES "goals = { correct { points = 1 } },\n"));
    if (CHECK(l != NULL) && l) {
        const grade_lab *g = &l->grade;
        CHECK(!g->time_limit_s && !g->host_time && !g->warm && !g->device_memory &&
              g->host_work == GRADE_HOST_LAUNCHES && !g->range_count && !g->hidden_cases);
        CHECK(!l->need_count && !*l->source && !l->debug.number && !l->debug.at_count);
        static const char *const usual[] = {"thrust::", "cub::", "cublas"};
        for (size_t k = 0; k < 3; k++) CHECK_STR(g->forbidden[k], usual[k]);
        CHECK_INT(g->forbidden_count, 3);
        CHECK(!l->hint_goal[0] && !l->hint_goal[1] && !l->taught_count);
    }
    lab_free(l);
    static const struct {
        const char *text;
        long long bytes;
    } memory[] = {{"1 << 21", 2 << 20},      {"1048577", (1 << 20) + 1},
                  {"\"2048 KB\"", 2 << 20},  {"\"3MB\"", 3 << 20},
                  {"\"2  GB\"", 2ll << 30},  {"\"1e3 MB\"", 1000ll << 20},
                  {"\"1024 GB\"", 1ll << 40}};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 GRADED(CASES "goals = { correct { points = 1 } }, device_memory = %s,\n"),
                 memory[k].text);
        l = load(text);
        CHECK_INT(l ? (long long)l->grade.device_memory : -1, memory[k].bytes);
        lab_free(l);
    }
    static const char *const hosts[] = {"launches", "flags", "anything"};
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 GRADED(CASES "goals = { correct { points = 1 } }, host = \"%s\",\n"), hosts[k]);
        l = load(text);
        CHECK_INT(l ? (int)l->grade.host_work : -1, k);
        lab_free(l);
    }
    /* Sixteen parameters and sixteen ranges; one more of either is refused. */
    for (int n = 16; n <= 17; n++)
        for (int ranges = 0; ranges < 2; ranges++) {
            char list[400] = "", text[3000];
            for (int k = 0; k < n - !ranges; k++)
                snprintf(list + strlen(list), sizeof list - strlen(list),
                         ranges ? "p%c = { 1, 2 }, " : "p%c = 1, ", 'a' + k);
            if (ranges)
                snprintf(text, sizeof text,
                         GRADED(CASES "goals = { correct { points = 1 } }, hidden = { %s },\n"),
                         list);
            else
                snprintf(
                    text, sizeof text,
                    GRADED("cases = { { %s n = 5, timed = true } }, goals = { correct { points "
                           "= 1 } },\n"),
                    list);
            l = load(text);
            /* ranges of names that no case has are refused later, by the grader */
            CHECK((l != NULL) == (n == 16 && !ranges));
            if (n == 17)
                CHECK_CONTAINS(said(&msg), ranges ? "hidden: more than 16 ranges"
                                                  : "cases: more than 16 parameters");
            else if (ranges) CHECK_CONTAINS(said(&msg), "names no parameter");
            lab_free(l);
        }
}

/* ---- steps ---- */

static void steps(void) {
    lab *l = load(
        HEAD
        "entry = \"void f(const float *a, float *c, int n)\",\n"
        "args = { a = zeros(\"n\"), c = output(\"n\") },\n" CASES
        "goals = { correct { points = 1 }, at_most(\"gld_sectors\", 9) { points = 1 } },\n" ENDS
        "draws = { d = { n = { 1, 9 } } },\n"
        "steps = { say { " PAIR " },\n" /* line 10 */
        "exercise { " PAIR " },\n"
        "ask { " PAIR ", answer = 5, unit = \"B\", tolerance = 0.5, alone = true, because = { en = "
        "\"w\", zh = \"因\" },\n"
        " draw = { b = { from = { 3, 1 } }, a = { 2, 8, multiple = 4 }, c = { 0, 0 } },\n"
        " replies = { { 4, en = \"r\", zh = \"回\" }, { function() end, " PAIR " } } },\n"
        "ask { " PAIR ", accept = { \"u\", \"v\" }, replies = { { \"s\", \"t\", " PAIR " } } },\n"
        "ask { " PAIR ", order = \"fixed\", choices = { { \"1\", right = true, because = { " PAIR
        " } }, { en = \"e\", zh = \"选\", fixed = true } } },\n"
        "ask { " PAIR ", answer = measured { counter = \"gld_sectors\" } },\n"
        "predict { " PAIR ", counter = \"gld_sectors\" },\n"
        "predict { " PAIR
        ", counter = \"launches\", of = \"answer\", on = \"sim:g80\", tolerance = "
        "0, unit = \"x\", case = { n = 3 }, replies = { { 1, " PAIR " } } },\n"
        "show { " PAIR ", picture = \"sectors\" },\n"
        "show { " PAIR ", picture = \"lanes\", model = function() end, lanes = 8 },\n"
        "show { " PAIR ", picture = \"rounds\", model = function() end, rounds = 3 },\n"
        "show { " PAIR ", picture = \"calculator\", registers = 32, shared = 64, block = 128 },\n"
        "show { " PAIR
        ", picture = \"counters\", counters = { \"launches\", \"gld_sectors\" }, of = "
        "\"kernels/k.cu\", beside = \"skeleton\" },\n"
        "compare { " PAIR ", counters = { \"launches\" } },\n"
        "compare { " PAIR ", counters = { \"launches\" }, of = \"kernels/k.cu\", beside = "
        "\"kernels/j.cu\" } } }");
    static const struct {
        lab_step_kind kind;
        unsigned line;
    } kinds[] = {{LAB_SAY, 10},  {LAB_EXERCISE, 11}, {LAB_ASK, 12},     {LAB_ASK, 15},
                 {LAB_ASK, 16},  {LAB_ASK, 17},      {LAB_PREDICT, 18}, {LAB_PREDICT, 19},
                 {LAB_SHOW, 20}, {LAB_SHOW, 21},     {LAB_SHOW, 22},    {LAB_SHOW, 23},
                 {LAB_SHOW, 24}, {LAB_COMPARE, 25},  {LAB_COMPARE, 26}};
    enum { STEPS = sizeof kinds / sizeof *kinds };
    CHECK_INT(l ? l->step_count : 0, STEPS);
    if (!l || l->step_count != STEPS) {
        lab_free(l);
        return;
    }
    const lab_step *s = l->steps;
    for (size_t k = 0; k < STEPS; k++) {
        CHECK_INT(s[k].kind, kinds[k].kind);
        CHECK_INT(s[k].line, kinds[k].line);
        CHECK_STR(s[k].text.text[LIB_EN], "x");
        CHECK_STR(s[k].text.text[LIB_ZH], "字");
        CHECK(lab_step_asks(&s[k]) == (k >= 2 && k < 8) && s[k].alone == (k == 2));
        CHECK(!s[k].group && !s[k].teach_count && s[k].draw_count == (k == 2 ? 3 : 0));
    }
    /* numbers of its own, by name */
    const lab_draw *d = s[2].draws;
    CHECK(!strcmp(d[0].name, "a") && d[0].lo == 2 && d[0].hi == 8 && d[0].multiple == 4 &&
          !d[0].from_count);
    CHECK(!strcmp(d[1].name, "b") && d[1].from_count == 2 && d[1].from[0] == 3 &&
          d[1].from[1] == 1);
    CHECK(!strcmp(d[2].name, "c") && d[2].lo == 0 && d[2].hi == 0 && d[2].multiple == 1);
    /* questions */
    const lab_question *q = &s[2].question;
    CHECK(q->kind == LAB_ANSWER_NUMBER && q->number == 5 && !q->answer_ref && q->tolerance == 0.5);
    CHECK_STR(q->unit, "B");
    CHECK_STR(q->because.text[LIB_ZH], "因");
    CHECK(q->reply_count == 2 && q->replies[0].number == 4 && !q->replies[0].ref &&
          !q->replies[0].accept_count && q->replies[1].ref);
    CHECK_STR(q->replies[0].text.text[LIB_EN], "r");
    q = &s[3].question;
    CHECK(q->kind == LAB_ANSWER_TEXT && q->accept_count == 2 && !q->tolerance && !*q->unit &&
          !q->because.text[0]);
    CHECK_STR(q->accept[1], "v");
    CHECK(q->reply_count == 1 && q->replies[0].accept_count == 2);
    CHECK_STR(q->replies[0].accept[1], "t");
    q = &s[4].question;
    CHECK(q->kind == LAB_ANSWER_CHOICE && q->choice_count == 2 && q->ordered && !q->reply_count);
    CHECK(q->choices[0].right && !q->choices[0].fixed && !q->choices[1].right &&
          q->choices[1].fixed);
    CHECK_STR(q->choices[0].text.text[LIB_EN], "1");
    CHECK_STR(q->choices[0].text.text[LIB_ZH], "1");
    CHECK_STR(q->choices[1].text.text[LIB_ZH], "选");
    CHECK_STR(q->choices[0].because.text[LIB_EN], "x");
    CHECK(!q->choices[1].because.text[LIB_EN]);
    /* what is measured: by default a question's is the baseline, a prediction's the student's own,
     * near a tenth */
    q = &s[5].question;
    CHECK(q->kind == LAB_ANSWER_MEASURED && q->measure.of == LAB_OF_BASELINE && !q->tolerance);
    CHECK_STR(q->measure.counter, "gld_sectors");
    CHECK(!q->measure.device && !q->measure.params_ref && !q->measure.program && !q->measure.file);
    q = &s[6].question;
    CHECK(q->kind == LAB_ANSWER_MEASURED && q->measure.of == LAB_OF_MINE && q->tolerance == 0.1 &&
          !*q->unit && !q->ordered);
    q = &s[7].question;
    CHECK(q->measure.of == LAB_OF_ANSWER && !q->tolerance && q->measure.params_ref &&
          q->reply_count == 1);
    CHECK_STR(q->measure.device, "sim:g80");
    CHECK_STR(q->measure.counter, "launches");
    CHECK_STR(q->unit, "x");
    /* pictures */
    static const struct {
        lab_picture picture;
        lab_source of, beside;
        bool has_beside, model;
        size_t counters;
        unsigned registers, shared, block, lanes, rounds;
    } shows[] = {{LAB_PIC_SECTORS, 0, 0, 0, 0, 0, 0, 0, 0, 32, 1},
                 {LAB_PIC_LANES, 0, 0, 0, 1, 0, 0, 0, 0, 8, 1},
                 {LAB_PIC_ROUNDS, 0, 0, 0, 1, 0, 0, 0, 0, 32, 3},
                 {LAB_PIC_CALCULATOR, 0, 0, 0, 0, 0, 32, 64, 128, 32, 1},
                 {LAB_PIC_COUNTERS, LAB_OF_FILE, LAB_OF_SKELETON, 1, 0, 2, 0, 0, 0, 32, 1},
                 {LAB_PIC_COUNTERS, LAB_OF_MINE, LAB_OF_BASELINE, 1, 0, 1, 0, 0, 0, 0, 0},
                 {LAB_PIC_COUNTERS, LAB_OF_FILE, LAB_OF_FILE, 1, 0, 1, 0, 0, 0, 0, 0}};
    for (size_t k = 0; k < sizeof shows / sizeof *shows; k++) {
        const lab_show *w = &s[8 + k].show;
        CHECK(w->picture == shows[k].picture && w->measure.of == shows[k].of &&
              w->has_beside == shows[k].has_beside && w->beside.of == shows[k].beside);
        CHECK((w->model_ref != 0) == shows[k].model && w->counter_count == shows[k].counters);
        CHECK(w->registers == shows[k].registers && w->shared == shows[k].shared &&
              w->block == shows[k].block);
        CHECK(w->lanes == shows[k].lanes && w->rounds == shows[k].rounds);
    }
    CHECK_STR(s[12].show.measure.file, "kernels/k.cu");
    CHECK(!s[12].show.beside.file && !s[13].show.measure.file && !s[13].show.beside.file);
    CHECK_STR(s[12].show.counters[1], "gld_sectors");
    CHECK_STR(s[14].show.measure.file, "kernels/k.cu");
    CHECK_STR(s[14].show.beside.file, "kernels/j.cu");
    /* hints */
    CHECK_STR(l->hints[0].text[LIB_EN], "h1");
    CHECK_STR(l->hints[2].text[LIB_ZH], "三");
    CHECK(!l->hint_goal[0]);
    CHECK_STR(l->hint_goal[1], "gld_sectors");
    CHECK_STR(l->hint_goal[2], "correct");
    CHECK_STR(l->after.text[LIB_EN], "a");
    CHECK_STR(l->more.text[LIB_ZH], "多");
    lab_free(l);
}

/* Texts in [[ ]]: what all lines are indented by goes, and what ends a line or the text unseen; the
 * first line is indented as it stands behind the brackets. */
static void texts(void) {
    static const struct {
        const char *lua, *want;
    } rows[] = {{"[[\n    one\n      two\n    three\n  ]]", "one\n  two\nthree"},
                {"[[one\n    two\n     three]]", "one\ntwo\n three"},
                {"[[  one\n    two]]", "one\n  two"},
                {"[[\n\n   one \t\n\n   two\\r\n\n  ]]", "one\n\ntwo\\r"},
                {"'one\\r\\n  two\\r\\n'", "one\ntwo"},
                {"'\\n \\n one\\n \\n'", "one"},
                {"'\\tone\\n\\ttwo'", "\tone\n\ttwo"},
                {"'one'", "one"},
                {"' one'", "one"},
                {"'a\\n\\n\\nb'", "a\n\n\nb"},
                {"'a\\nb\\n  c'", "a\nb\n  c"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[3000];
        snprintf(text, sizeof text,
                 GRADED(CASES "goals = { correct { points = 1, zh = \"字\", en = %s } },\n"),
                 rows[k].lua);
        lab *l = load(text);
        CHECK_STR(l ? l->grade.goals[0].message[LIB_EN] : NULL, rows[k].want);
        lab_free(l);
    }
}

/* How many there may be of what a lesson counts: the last number loads, and one more is told. `%d`
 * is the number. */
static void most(void) {
    static const struct {
        const char *before, *fields;
        int most;
        const char *message;
    } rows[] = {{"local t = {} for i = 1, %d do t[i] = 'u' end ", "needs = t,\n", 4096,
                 "labs/t.lua:7: lab.needs: a list of 4,097 items; at most 4,096 are read"},
                {"local t = {} for i = 1, %d do t['g' .. i] = { n = { 1, 9 } } end ",
                 "draws = t,\n", 32,
                 "labs/t.lua:7: lab.draws: expected at most 32 of NAME = { n = { 1000, 20000 } }"},
                {"local t = {} for i = 1, %d do t['f' .. i] = 'hints' end ", "teaches = t,\n", 32,
                 "labs/t.lua:7: lab.teaches: expected at most 32 of [\"FACT\"] = \"ask after\""},
                {"local t = {} for i = 1, %d do t[i] = 'f' .. i end ",
                 "steps = { " EXERCISE ", say { teaches = t, " PAIR " } },\n", 32,
                 "labs/t.lua:7: say.teaches: a lab teaches at most 32 facts"},
                {"local d, t = {}, { exercise { " PAIR
                 " } } for i = 1, %d do d['g' .. i] = { n = { 1, 9 } } "
                 "table.insert(t, say { draw = 'g' .. i, " PAIR " }) end ",
                 "draws = d, steps = t,\n", 32, NULL},
                /* 31 groups of names, and one of a step and the one after it */
                {"local d, t = {}, { exercise { " PAIR
                 " } } for i = 1, %d - 1 do d['g' .. i] = { n = { 1, 9 "
                 "} } table.insert(t, say { draw = 'g' .. i, " PAIR
                 " }) end table.insert(t, say { draw = { m "
                 "= { 1, 2 } }, " PAIR " }) table.insert(t, say { draw = same, " PAIR " }) ",
                 "draws = d, steps = t,\n", 32,
                 "labs/t.lua:1: say.draw: more than 32 groups of steps share numbers"}};
    char facts[1000] = "# chapter 1\n";
    for (int k = 1; k <= 33; k++)
        snprintf(facts + strlen(facts), sizeof facts - strlen(facts), "f%d | book | so\n", k);
    put("labs/facts.txt", facts);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int n = rows[k].most; n <= rows[k].most + !!rows[k].message; n++) {
            char before[600], text[4000];
            snprintf(before, sizeof before, rows[k].before, n);
            /* later fields replace earlier ones */
            snprintf(text, sizeof text,
                     "%s" HEAD "entry = \"void f(const float *a, float *c, int n)\",\n"
                     "args = { a = zeros(\"n\"), c = output(\"n\") },\n" CASES
                     "goals = { correct { points = 1 } }, hints = { { " PAIR " }, { " PAIR
                     " }, { " PAIR " } }, after = { " PAIR " }, more = { " PAIR
                     " }, steps = { " EXERCISE " },\n%s}",
                     before, rows[k].fields);
            lab *l = load(text);
            CHECK((l != NULL) == (n == rows[k].most));
            if (n > rows[k].most) CHECK_STR(said(&msg), rows[k].message);
            if (l && k == 5) {
                const lab_step *last = &l->steps[l->step_count - 1];
                CHECK(last->group == 32 && last[-1].group == 32 && last[-2].group == 31);
                CHECK(last->draw_count == 1 && last->draws == last[-1].draws);
            }
            lab_free(l);
        }
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-values-XXXXXX");
    if (!mkdtemp(root)) return 1;
    arguments();
    goals();
    cases();
    steps();
    texts();
    most();
    lib_remove_tree(root);
    return check_done();
}
