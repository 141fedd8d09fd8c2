/* Lessons: the three that ship load and compute; a wrong one gets a message that names file, line,
 * and what was expected; a hostile one is stopped. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "../check.h"
#include "runner/lesson/lab.h"

static char root[64];

static void put(const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/labs/%s.lua", root, name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

/* A whole lesson with one field or step replaced: %s is put after the goals. Line 1 is `return lab
 * {`. */
#define BEFORE                                                                                     \
    "return lab {\n"                                                                               \
    "  id = \"t\", title = { en = \"Title\", zh = \"标题\" }, chapter = 1, minutes = 10,\n"      \
    "  entry = \"void f(const float *a, float *c, int n)\",\n"                                     \
    "  args = { a = uniform(-1, 1, \"n\"), c = output(\"n\", { ops = 1 }) },\n"                    \
    "  cases = { { n = 10 }, { n = 1000, timed = true } },\n"                                      \
    "  goals = { correct { points = 4 }, counter(\"gld_sectors\", \"<=\", 4) { points = 1 } },\n"  \
    "  hints = { { en = \"a\", zh = \"一\" }, { en = \"b\", zh = \"二\" }, { en = \"c\", zh = "  \
    "\"三\" } },\n"                                                                               \
    "  after = { en = \"a\", zh = \"后\" }, more = { en = \"m\", zh = \"多\" },\n"
#define EXERCISE "exercise { en = \"do\", zh = \"做\" }"

static lib_message msg;
static lab *with(const char *rest) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s}\n", BEFORE, rest);
    put("t", text);
    msg.text[0] = 0;
    return lab_load(root, "t", &msg);
}
static void refused(const char *rest, const char *part) {
    lab *l = with(rest);
    CHECK(l == NULL);
    CHECK_CONTAINS(msg.text, part);
    CHECK_CONTAINS(msg.text, "labs/t.lua");
    lab_free(l);
}
static void refused_text(const char *text, const char *part) {
    put("t", text);
    msg.text[0] = 0;
    lab *l = lab_load(root, "t", &msg);
    CHECK(l == NULL);
    CHECK_CONTAINS(msg.text, part);
    lab_free(l);
}

static void wrong_lessons(void) {
    refused("steps = { " EXERCISE ", say { en = \"x\", zh = \"y\", teext = 1 } }",
            ":9: say: unknown field `teext`");
    refused("steps = { " EXERCISE ",\n say { en = \"only English\" } }",
            ":10: (text): the Chinese text (zh) is missing");
    refused("steps = { " EXERCISE ",\n\n ask { en = \"x\", zh = \"y\",\n awnser = 3 } }",
            ":12: ask: unknown field `awnser`; did you mean `answer`?");
    refused("steps = { " EXERCISE ",\n ask { en = \"x\", zh = \"y\" } }",
            ":10: ask: expected exactly one of choices, accept and answer, found 0");
    refused("steps = { " EXERCISE ", ask { en = \"x\", zh = \"y\", answer = \"32\" } }",
            "expected a number, a function or measured");
    refused("steps = { " EXERCISE
            ", ask { en = \"x\", zh = \"y\", answer = 1, draw = { n = { 9, 2 } } } }",
            "lo <= hi");
    refused(
        "steps = { " EXERCISE
        ", ask { en = \"x\", zh = \"y\", answer = 1, draw = { n = { 1, 9, multiple = 10 } } } }",
        "no multiple of 10");
    refused("steps = { " EXERCISE
            ", ask { en = \"x\", zh = \"y\", choices = { { \"a\" }, { \"b\" } } } }",
            "none is `right = true`");
    refused("steps = { " EXERCISE ", show { en = \"x\", zh = \"y\", picture = \"sector\" } }",
            "show.picture: expected one of sectors,");
    refused("steps = { " EXERCISE ", show { en = \"x\", zh = \"y\", picture = \"lanes\" } }",
            "needs `model = function");
    refused("steps = { " EXERCISE
            ", predict { en = \"x\", zh = \"y\", counter = \"gld_sector\" } }",
            "the nearest is `gld_sectors`");
    refused("steps = { say { en = \"x\", zh = \"y\" } }", "exactly one exercise");
    refused("steps = { " EXERCISE ", 7 }",
            "expected say, ask, predict, show, exercise or compare, found number");
    refused("steps = { " EXERCISE ", sya { en = \"x\", zh = \"y\" } }",
            "unknown name `sya`; did you mean `say`?");
    refused("steps = { " EXERCISE " }, tittle = 3",
            "lab: unknown field `tittle`; did you mean `title`?");
    refused("", "lab.steps: expected a list of steps");
    refused(
        "steps = { " EXERCISE " }, host = \"flag\"",
        "lab.host: expected \"launches\", \"flags\" or \"anything\", found \"flag\"; did you mean "
        "\"flags\"?");
    refused("steps = { " EXERCISE " }, hidden = { n = { 5 } }", "hidden.n: expected { lo, hi }");
    refused("steps = { " EXERCISE " }, needs = \"x\"", "lab.needs: expected a list of texts");
    /* Later fields replace earlier ones of the same name, so each of these breaks one. */
    refused("steps = { " EXERCISE " }, id = \"other\"",
            "lab.id is \"other\", but the file is called t.lua");
    refused("steps = { " EXERCISE " },\nminutes = \"ten\"",
            "lab.minutes: expected a number, found a string");
    refused("steps = { " EXERCISE " }, args = { a = uniform(-1, 1, \"n\") }",
            "`c`, a parameter of the entry, is missing");
    refused("steps = { " EXERCISE " }, args = { a = output(\"n\"), c = output(\"n\") }",
            "takes `const float *a`, which cannot be an output");
    refused("steps = { " EXERCISE
            " }, args = { a = uniform(0, 1, \"n\"), c = uniform(0, 1, \"n\") }",
            "may write `float *c`");
    refused("steps = { " EXERCISE " }, args = { a = uniform(0, 1, \"n +\"), c = output(\"n\") }",
            "args.a: ");
    refused("steps = { " EXERCISE " }, args = { a = uniform(0, 1), c = output(\"n\") }",
            "expected uniform(lo, hi, count), found 2 values");
    refused("steps = { " EXERCISE " }, args = { a = iota(\"n\"), c = output(\"n\"), d = 1 }",
            "args.d is no parameter of the entry; it has a, c, n");
    refused("steps = { " EXERCISE " }, cases = { { n = 1 } }",
            "exactly one case is `timed = true`; found 0");
    refused("steps = { " EXERCISE " }, goals = { correct { point = 1 } }",
            "correct: unknown field `point`; did you mean `points`?");
    refused("steps = { " EXERCISE " }, goals = { correct {} }",
            "correct: `points = NUMBER` is missing");
    refused("steps = { " EXERCISE
            " }, goals = { counter(\"gld_sectors\", \"=<\", 4) { points = 1 } }",
            "expected <=, <, ==, >= or >, found `=<`");
    refused("steps = { " EXERCISE " }, goals = { fraction(\"copy\", 80) { points = 1 } }",
            "a threshold between 0 and 1");
    refused("steps = { " EXERCISE " }, hints = { { en = \"a\", zh = \"一\" } }",
            "expected three hints");
    refused("steps = { " EXERCISE " }, entry = \"void f(const float *a\"", "entry: ");
    refused("steps = { " EXERCISE " }, title = { en = \"x\", zh = \"\" }",
            "title: the Chinese text (zh) is empty");

    refused_text("return {", "labs/t.lua:1: ");
    refused_text("x = = 3", "labs/t.lua:1: ");
    refused_text("return 3", "must end in `return lab { ... }`");
    refused_text("return lab { id = nil + 1 }",
                 "labs/t.lua:1: attempt to perform arithmetic on a nil value");
    CHECK(lab_load(root, "../t", &msg) == NULL);
    CHECK_CONTAINS(msg.text, "is no lab id");
    CHECK(lab_load(root, "nothing", &msg) == NULL);
    CHECK_CONTAINS(msg.text, "nothing.lua");
}

static void hostile_lessons(void) {
    refused_text("while true do end", "runs too long");
    refused_text("local t = {} for i = 1, 1e9 do t[i] = {i} end", "memory");
    refused_text("local s = 'x' while true do s = s .. s end", "memory");
    refused_text("local s = ('x'):rep(1 << 30)", "longer than 1 MiB");
    refused_text("local function f() return f() + 1 end f()",
                 "labs/t.lua: the lesson needs more than 16 MiB");
    refused_text("\033Lua", "labs/t.lua"); /* bytecode */
    static const char *const gone[] = {
        "io",       "os",    "debug",     "package",      "require",      "load", "dofile",
        "loadfile", "pcall", "coroutine", "setmetatable", "getmetatable", "print"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        char text[100], want[100];
        snprintf(text, sizeof text, "\n%s('x')", gone[i]);
        snprintf(want, sizeof want, "labs/t.lua:2: `%s` is not available in a lesson", gone[i]);
        refused_text(text, want);
    }
    refused_text("local x = ('x').find('x', 'x')",
                 "labs/t.lua:1: "); /* no patterns by way of a string's methods */
    refused_text("local x = string.dump(function() end)", "labs/t.lua:1: ");
    refused_text("table.insert(3, 4)", "labs/t.lua:1: ");
    /* A function that is fine when the lesson loads and endless when it is called. */
    lab *l = with("steps = { " EXERCISE
                  ", ask { en = \"x\", zh = \"y\", answer = function() while true do end end } }");
    CHECK(l != NULL);
    if (l) {
        lab_drawn d = {0};
        double v;
        CHECK(!lab_step_number(l, &l->steps[1], &d, &v, &msg));
        CHECK_CONTAINS(msg.text, "runs too long");
        CHECK(!lab_step_number(l, &l->steps[1], &d, &v, &msg)); /* and again: the state is whole */
        lab_free(l);
    }
    l = with("steps = { " EXERCISE
             ", ask { en = \"x\", zh = \"y\", answer = function() return {} end } }");
    if (l) {
        lab_drawn d = {0};
        double v;
        CHECK(!lab_step_number(l, &l->steps[1], &d, &v, &msg));
        CHECK_CONTAINS(msg.text, "expected a number");
        lab_free(l);
    }
}

/* What a lesson teaches: facts that exist, parts that it has. */
static void facts(void) {
    char path[120];
    snprintf(path, sizeof path, "%s/labs/facts.txt", root);
    FILE *f = fopen(path, "w");
    fputs("# chapter 1\nwarps | book 5 | threads form warps\nlines | book 5 | so do lines | of "
          "them\n",
          f);
    fclose(f);
    lab *l =
        with("teaches = { warps = \"exercise after\", lines = \"hints\" }, source = \"book 5\",\n"
             "steps = { " EXERCISE " }");
    CHECK(l != NULL);
    CHECK_INT(l ? (long)l->taught_count : 0, 2);
    CHECK_STR(l ? l->taught[0].fact : "", "lines");
    CHECK_STR(l ? l->taught[1].where : "", "exercise after");
    CHECK_STR(l ? l->source : "", "book 5");
    lab_free(l);
    refused("teaches = { warp = \"exercise\" }, steps = { " EXERCISE " }", "no fact `warp`");
    refused("teaches = { warps = \"predict\" }, steps = { " EXERCISE " }",
            "the lesson has no part `predict`");
    refused("teaches = { warps = \"\" }, steps = { " EXERCISE " }", "expected where");
    refused("teaches = \"warps\", steps = { " EXERCISE " }", "lab.teaches: expected");
    f = fopen(path, "w");
    fputs("# chapter 1\nwarps | book 5\n", f);
    fclose(f);
    CHECK(with("teaches = { warps = \"exercise\" }, steps = { " EXERCISE " }") == NULL);
    CHECK_CONTAINS(msg.text, "labs/facts.txt:2: expected `KEY | source | fact`");
    remove(path);
    /* A measurement on a device of its own. */
    l = with(
        "steps = { " EXERCISE
        ", compare { en = \"c\", zh = \"比\", on = \"sim:g80\", counters = { \"blocks\" } } }");
    CHECK(l != NULL);
    CHECK_STR(l ? l->steps[1].show.measure.device : "", "sim:g80");
    CHECK_STR(l ? l->steps[1].show.beside.device : "", "sim:g80");
    lab_free(l);
    refused("steps = { " EXERCISE
            ", compare { en = \"c\", zh = \"比\", on = \"sim:g8\", counters = { \"blocks\" } } }",
            "such as \"sim:g80\"");
}

static void questions(void) {
    lab *l = with(
        "steps = { " EXERCISE ","
        "ask { en = \"n {n}, b {b}\", zh = \"数 {n}，{b}\", draw = { n = { 100, 200, multiple = 32 "
        "}, b = { from = { 64, 128 } } }, tolerance = 0.01,"
        "      answer = function(d) return d.n / d.b end },"
        "ask { en = \"x\", zh = \"y\", choices = { { \"4\" }, { \"32\", right = true }, { en = "
        "\"none\", zh = \"都不是\" } } },"
        "ask { en = \"x\", zh = \"y\", accept = { \"warp\", \"线程束\" } },"
        "show { en = \"x\", zh = \"y\", picture = \"lanes\", model = function(lane) if lane < 4 "
        "then return 8 * lane end end } }");
    CHECK(l != NULL);
    if (!l) {
        printf("%s\n", msg.text);
        return;
    }
    const lab_step *s = &l->steps[1];
    bool differ = false;
    double first = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        lab_drawn d, again;
        lab_step_draw(s, seed, &d);
        lab_step_draw(s, seed, &again);
        CHECK_INT(d.count, 2);
        CHECK_STR(d.p[0].name, "b");
        double n = d.p[1].value, b = d.p[0].value, v;
        if (!(n == 128 || n == 160 || n == 192) || !(b == 64 || b == 128) || again.p[1].value != n)
            CHECK_NEAR(n, 0, 0);
        if (!seed) first = n;
        differ |= n != first;
        CHECK(lab_step_number(l, s, &d, &v, &msg));
        CHECK_NEAR(v, n / b, 1e-12);
    }
    CHECK(differ);
    lab_drawn d = {.count = 1, .p = {{"n", 160}}};
    char *text = lab_text_fill("n = {n}, {b} and {", &d);
    CHECK_STR(text, "n = 160, {b} and {");
    free(text);

    const lab_question *q = &s->question;
    static const struct {
        const char *typed;
        double truth;
        int want;
    } numbers[] = {{"2.5", 2.5, 1},    {" 2.51 ", 2.5, 1}, {"2.6", 2.5, 0},     {"5/2", 2.5, 1},
                   {"1,024", 1024, 1}, {"2^10", 1024, 1},  {"1e3", 1000, 1},    {"25 %", 25, 1},
                   {"25%", 25, 1},     {"１２", 12, 1},    {"4 sectors", 4, 1}, {"abc", 1, -1},
                   {"", 1, -1},        {"5/0", 1, -1},     {"nan", 1, -1},      {"inf", 1, -1},
                   {"0", 0, 1},        {"0.001", 0, 0},    {"-3", -3, 1},       {"3 4x!", 34, -1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int got = lab_question_judge(q, numbers[i].typed, numbers[i].truth, NULL);
        if (got != numbers[i].want) printf("# %s\n", numbers[i].typed);
        CHECK_INT(got, numbers[i].want);
    }
    int choice;
    const lab_question *c = &l->steps[2].question;
    CHECK_INT(lab_question_judge(c, "b", 0, &choice), 1);
    CHECK_INT(choice, 1);
    CHECK_INT(lab_question_judge(c, "B)", 0, &choice), 1);
    CHECK_INT(lab_question_judge(c, "32", 0, &choice),
              1); /* the text of a choice, not its number */
    CHECK_INT(lab_question_judge(c, "4", 0, &choice), 0);
    CHECK_INT(lab_question_judge(c, "2", 0, &choice), 1);
    CHECK_INT(lab_question_judge(c, "都不是", 0, &choice), 0);
    CHECK_INT(lab_question_judge(c, "z", 0, &choice), -1);
    const lab_question *t = &l->steps[3].question;
    CHECK_INT(lab_question_judge(t, "  Warp. ", 0, NULL), 1);
    CHECK_INT(lab_question_judge(t, "线程束。", 0, NULL), 1);
    CHECK_INT(lab_question_judge(t, "block", 0, NULL), 0);
    double v;
    CHECK(lab_show_model(l, &l->steps[4].show, NULL, 3, 0, &v, &msg));
    CHECK_NEAR(v, 24, 0);
    CHECK(lab_show_model(l, &l->steps[4].show, NULL, 4, 0, &v, &msg));
    CHECK(v < 0);
    lab_free(l);
}

static void shipped(const char *here) {
    static const char *const ids[] = {"vector-add", "coalescing", "reduce-1-divergent"};
    for (int i = 0; i < 3; i++) {
        lab *l = lab_load(here, ids[i], &msg);
        if (!l) printf("# %s\n", msg.text);
        CHECK(l != NULL);
        if (l) {
            CHECK(l->step_count >= 8 && l->grade.goal_count >= 3);
            CHECK(lab_exists(here, l->id));
        }
        lab_free(l);
    }
    lab *l = lab_load(here, "vector-add", &msg);
    if (l) {
        CHECK_STR(l->grade.entry, "vector_add");
        CHECK_INT(l->grade.arg_count, 4);
        CHECK_INT(l->grade.args[0].role, GRADE_INPUT);
        CHECK_INT(l->grade.args[2].role, GRADE_OUTPUT);
        CHECK_INT(l->grade.args[3].role, GRADE_SCALAR);
        CHECK_INT(l->grade.args[2].type, GRADE_F32);
        CHECK(l->grade.args[0].rtol < 0 && l->grade.args[2].atol < 0);
        /* Facts of the curriculum, by the lesson's own functions: 1003 elements in blocks of 64 are
         * 16 blocks, 21 threads idle. */
        lab_drawn d = {.count = 2, .p = {{"b", 64}, {"n", 1003}}};
        double v;
        CHECK(lab_step_number(l, &l->steps[1], &d, &v, &msg));
        CHECK_NEAR(v, 16, 0);
        CHECK(lab_step_number(l, &l->steps[2], &d, &v, &msg));
        CHECK_NEAR(v, 21, 0);
        lab_free(l);
    }
    l = lab_load(here, "coalescing", &msg);
    if (l) {
        lab_drawn d = {.count = 1, .p = {{"s", 33}}};
        double v;
        CHECK(lab_step_number(l, &l->steps[3], &d, &v, &msg));
        CHECK_NEAR(v, 32, 0);
        d.p[0].value = 3; /* 96 floats of 4 bytes: 12 sectors of 32 bytes, all of them touched */
        CHECK(lab_step_number(l, &l->steps[3], &d, &v, &msg));
        CHECK_NEAR(v, 12, 0);
        lab_free(l);
    }
    lab_header *h;
    size_t n = lab_list(here, &h), broken = 0;
    for (size_t i = 0; i < n; i++) broken += h[i].broken;
    CHECK(n >= 3);
    CHECK_INT(broken, 0);
    for (size_t i = 1; i < n; i++) CHECK(h[i - 1].chapter <= h[i].chapter);
    free(h);
    char near[200];
    lab_suggest(here, "vectoradd", near, sizeof near);
    CHECK_STR(near, "vector-add");
    lab_suggest(here, "qqqqqqqqqqq", near, sizeof near);
    CHECK_STR(near, "");
}

int main(void) {
    char here[400], labs[80], path[120];
    if (!getcwd(here, sizeof here)) return 1;
    snprintf(root, sizeof root, "/tmp/warplab-lesson-XXXXXX");
    if (!mkdtemp(root)) return 1;
    snprintf(labs, sizeof labs, "%s/labs", root);
    mkdir(labs, 0700);
    wrong_lessons();
    hostile_lessons();
    questions();
    facts();
    shipped(here);
    snprintf(path, sizeof path, "%s/t.lua", labs);
    remove(path);
    rmdir(labs);
    rmdir(root);
    return check_done();
}
