/* What each field of a lesson may hold: the last value that is taken, the first that is not, and
 * what is of another type. A row is put behind a whole lesson, where it replaces the field of its
 * name; an empty second column means that the lesson loads. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/lesson/pack.h"

static char root[64];

static const char before[] =
    "return lab {\n"
    "  id = \"t\", title = { en = \"Title\", zh = \"标题\" }, chapter = 1, minutes = 10,\n"
    "  entry = \"void f(const float *a, float *c, int n)\",\n"
    "  args = { a = uniform(-1, 1, \"n\"), c = output(\"n\", { ops = 1 }) },\n"
    "  cases = { { n = 10 }, { n = 1000, timed = true } },\n"
    "  goals = { correct { points = 4 } },\n"
    "  hints = { { en = \"a\", zh = \"一\" }, { en = \"b\", zh = \"二\" }, { en = \"c\", zh = "
    "\"三\" } },\n"
    "  after = { en = \"a\", zh = \"后\" }, more = { en = \"m\", zh = \"多\" },\n";

typedef struct {
    const char *text, *part; /* "": it loads */
} row;

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void try_row(const char *steps, const row *r) {
    char path[200], why[400];
    lib_message msg = {0};
    snprintf(path, sizeof path, "%s/labs/t.lua", root);
    FILE *f = fopen(path, "w");
    fprintf(f, steps, before, r->text);
    fclose(f);
    lab *l = lab_load(root, "t", &msg);
    snprintf(why, sizeof why, "%.380s", l ? "it loads" : said(&msg));
    check_that(*r->part ? !l && strstr(said(&msg), r->part) : l != NULL, __FILE__, __LINE__,
               r->text, why);
    lab_free(l);
}

#define EXERCISE "exercise { en = \"do\", zh = \"做\" }"
#define TEXT     "en = \"x\", zh = \"y\""

static void of_the_lab(void) {
    static const row rows[] = {
        {"chapter = 0", "lab.chapter: expected 1 to 99"},
        {"chapter = 1", ""},
        {"chapter = 99", ""},
        {"chapter = 100", "lab.chapter: expected 1 to 99"},
        {"chapter = 1e100", "lab.chapter: expected 1 to 99"},
        {"chapter = 4294967297", "lab.chapter: expected 1 to 99"},
        {"minutes = -1e100", "lab.minutes: expected 1 to 600"},
        {"minutes = 0", "lab.minutes: expected 1 to 600"},
        {"minutes = 1", ""},
        {"minutes = 600", ""},
        {"minutes = 601", "lab.minutes: expected 1 to 600"},
        {"minutes = 1/0", "lab.minutes: expected a finite number"},
        {"minutes = 0/0", "lab.minutes: expected a finite number"},
        {"minutes = {}", "lab.minutes: expected a number, found a table"},
        {"title = \"T\"", "lab.title: expected { en = ..., zh = ... }, found a string"},
        {"title = { en = 1, zh = \"y\" }", "title.en: expected a text, found a number"},
        {"title = { en = \"x\", zh = {} }", "title.zh: expected a text, found a table"},
        {"title = { en = \"\", zh = \"y\" }", "title: the English text (en) is empty"},
        {"title = { en = \"x\", zh = \"y\", fr = \"z\" }", "unknown field `fr`"},
        {"entry = 3", "lab.entry: expected a text"},
        {"after = 3", "lab.after: expected { en = ..., zh = ... }, found a number"},
        {"needs = { 3 }", "lab.needs: item 1 is a number, expected a text"},
        {"needs = { \"u\" }", ""},
        {"program = 1", "lab.program: expected true or false, found a number"},
        {"3", "lab: expected name = value, found an item without a name (1)"},
        {"xyzzy = 3", "lab: unknown field `xyzzy`; expected one of: "},
        {"files = { \"a.cu\", \"b.cu\", \"c.cu\", \"d.cu\", \"e.cu\", \"f.cu\", \"g.cu\", "
         "\"h.h\" }",
         ""},
        {"files = { \"a.cu\", \"b.cu\", \"c.cu\", \"d.cu\", \"e.cu\", \"f.cu\", \"g.cu\", "
         "\"h.cu\", \"i.h\" }",
         "lab.files: expected at most 8 files"},
        {"device_memory = 1048575", "lab.device_memory: expected at least 1 MB"},
        {"device_memory = 1048576", ""},
        {"device_memory = 1 << 40", ""},
        {"device_memory = (1 << 40) + 1", "lab.device_memory: expected"},
        {"device_memory = \"1024 KB\"", ""},
        {"device_memory = \"1023 KB\"", "lab.device_memory: expected"},
        {"device_memory = \"1MB\"", ""},
        {"device_memory = \"0.5 MB\"", "lab.device_memory: expected"},
        {"device_memory = \"1024 GB\"", ""},
        {"device_memory = \"1025 GB\"", "lab.device_memory: expected"},
        {"device_memory = \"64 TB\"", "lab.device_memory: expected"},
        {"device_memory = \"9999 TB\"", "lab.device_memory: expected"},
        {"device_memory = \"9999 AB\"", "lab.device_memory: expected"},
        {"device_memory = \"9999 HB\"", "lab.device_memory: expected"},
        {"device_memory = \"9999 LB\"", "lab.device_memory: expected"},
        {"id = \"a\"", "lab.id is \"a\", but the file is called t.lua"},
        {"id = \"z\"", "lab.id is \"z\", but the file is called t.lua"},
        {"needs = { \"a\", \"z\" }", ""},
        {"needs = { \"a\", \"t\" }", "lab.needs: the lab names itself"},
        {"host = \"a\"", "lab.host: expected \"launches\", \"flags\" or \"anything\", found \"a\""},
        {"host = \"z\"", "lab.host: expected \"launches\", \"flags\" or \"anything\", found \"z\""},
        {"minutesxxx = 1", "lab: unknown field `minutesxxx`; did you mean `minutes`?"},
        {"minutesxxxx = 1", "lab: unknown field `minutesxxxx`; expected one of: id title"},
        {"files = { \"a.cu\", \"b.h\", \"a.cu\" }", "lab.files: a.cu is there twice"},
        {"files = { \"b.h\" }", "lab.files: expected at least one .cu file"},
        {"time_limit = \"x\"", "lab.time_limit: expected a number, found a string"},
        {"host_time = 1", "lab.host_time: expected true or false, found a number"},
        {"warm = \"x\"", "lab.warm: expected true or false, found a string"},
        {"source = 1", "lab.source: expected a text, found a number"},
        {"forbid = \"x\"", "lab.forbid: expected a list of texts { \"...\" }, found a string"},
        {"debug = { case = -1, " TEXT " }", "debug.case: expected one of the 2 public cases"},
        {"debug = { " TEXT " }", ""},
        {"hints = { { " TEXT " }, { " TEXT ", goal = \"correct\" }, { " TEXT " } }", ""},
        {"hints = { { " TEXT " }, { " TEXT ", goal = \"speedup\" }, { " TEXT " } }",
         "lab.hints: expected a goal of this lab, found \"speedup\""},
        {"hints = { { " TEXT " }, { " TEXT " }, { " TEXT " }, { " TEXT " } }",
         "expected three hints"},
        {"hints = 3", "expected three hints"},
        {"more = { en = \"x\" }", "more: the Chinese text (zh) is missing"},
        {"after = nil", "lab: `after = { en = ..., zh = ... }` is missing"},
        {"more = nil", "lab: `more = { en = ..., zh = ... }` is missing"},
        {"title = nil", "lab: `title = { en = ..., zh = ... }` is missing"},
        {"id = nil", "lab: `id = \"...\"` is missing"},
        {"chapter = nil", "lab: `chapter = NUMBER` is missing"},
        {"minutes = nil", "lab: `minutes = NUMBER` is missing"},
        {"entry = nil", "lab: `entry = \"...\"` is missing"},
        {"goals = nil", "lab.goals: expected a list of goals"},
        {"steps = nil", "lab.steps: expected a list of steps"},
        {"steps = {}", "lab.steps: expected a list of steps"},
        {"steps = 3", "lab.steps: expected a list of steps"},
        {"cases = nil", "lab.cases: expected a list such as"},
        {"args = nil", "lab.args: expected { a = uniform(-1, 1, \"n\"), ... }, found a nil"},
        {"hints = nil", "expected three hints"},
        {"device_memory = {}", "lab.device_memory: expected"},
        {"debug = 3", "lab.debug: expected { case = 1"},
        {"debug = { case = 1, at = { \"i\" }, " TEXT " }", ""},
        {"debug = { case = 2, at = { \"i\" }, " TEXT " }", ""},
        {"debug = { case = 3, " TEXT " }", "debug.case: expected one of the 2 public cases"},
        {"debug = { case = 0, " TEXT " }", "debug.case: expected one of the 2 public cases"},
        {"debug = { case = 1.5, " TEXT " }", "debug.case: expected one of the 2 public cases"},
        {"debug = { kase = 1, " TEXT " }", "unknown field `kase`"},
        {"hints = { " TEXT " }", "hints"},
        {"hints = { { " TEXT " }, { " TEXT " }, 3 }", "lab.hints: item 3 is no"},
        {"hints = { { " TEXT " }, { " TEXT " }, { " TEXT " } }", ""},
        {"hints = { { " TEXT " }, { " TEXT " } }", "expected three hints"},
        {"draws = 3", "lab.draws: expected { size = { n = { 1000, 20000 } } }, found a number"},
        {"draws = function() end",
         "lab.draws: expected { size = { n = { 1000, 20000 } } }, found a function"},
        {"draws = true", "lab.draws: expected { size = { n = { 1000, 20000 } } }, found a boolean"},
        {"teaches = 3", "lab.teaches: expected { [\"FACT\"] = \"ask after\" }, found a number"},
        {"teaches = function() end",
         "lab.teaches: expected { [\"FACT\"] = \"ask after\" }, found a function"},
        {"teaches = { \"ask\" }", "lab.teaches: expected at most 32 of [\"FACT\"] = \"ask after\""},
        {"teaches = { occupancy = 3 }",
         "lab.teaches: expected at most 32 of [\"FACT\"] = \"ask after\""},
        {"teaches = { occupancy = \"\" }",
         "lab.teaches.occupancy: expected where, such as \"ask after\""},
        {"teaches = { occupancy = \"exercise ask\" }",
         "lab.teaches.occupancy: the lesson has no part `ask`"},
        {"draws = { size = 3 }", "lab.draws: expected at most 32 of NAME"},
        {"draws = { size = { n = { 1, 2 } } }", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_row("%ssteps = { " EXERCISE " },\n%s }\n", &rows[i]);
}

static void of_arguments_and_cases(void) {
    static const row rows[] = {
        {"args = 3", "lab.args: expected { a = uniform(-1, 1, \"n\"), ... }, found a number"},
        {"args = { a = 3, c = output(\"n\") }", "args.a: expected uniform(...), output(...)"},
        {"args = { a = {}, c = output(\"n\") }",
         "args.a: expected uniform(...), another generator"},
        {"args = { a = uniform(0, 1, {}), c = output(\"n\") }",
         "args.a: expected an expression such as \"n\" or 1024 for `count`, found a table"},
        {"args = { a = uniform(0, 1, 10), c = output(\"n\") }", ""},
        {"args = { a = uniform(0, 1, \"n\"), c = output() }",
         "expected output(count, options), found 0 values"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\", 3) }",
         "args.c: expected { ops = ... }, found a number"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\", { rtol = 0.1, atol = 1 }) }", ""},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\", { pinned = 1 }) }",
         "c.pinned: expected true or false"},
        {"args = { a = uniform(0, 1, \"n\"), c = inout(3) }",
         "args.c: expected inout(uniform(...))"},
        {"args = { a = uniform(0, 1, \"n\"), c = inout(zeros(\"n\")) }", ""},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\"), n = {} }",
         "args.n: expected scalar(\"expression\")"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\"), n = scalar(\"n + 1\") }", ""},
        {"entry = \"void f(const float *a, struct x *c, int n)\"", "entry"},
        {"cases = 3", "lab.cases: expected a list such as"},
        {"cases = {}", "lab.cases: expected a list such as"},
        {"cases = { { n = 3, w = 1 }, { n = 3, timed = true } }",
         "lab.cases: item 1 has the parameter `w`, which the timed case has not"},
        {"cases = { { n = 3 }, { n = 3, w = 1, timed = true } }",
         "lab.cases: item 1 has no parameter `w`, which the timed case has"},
        {"cases = { { n = 3, w = 1 }, { n = 3, w = 2, timed = true } }", ""},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\"), b = 1 }",
         "args.b is no parameter of the entry; it has a, c, n"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\"), [1] = 1 }",
         "args.? is no parameter of the entry; it has a, c, n"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\", { rtoll = 1 }) }",
         "c: unknown field `rtoll`; did you mean `rtol`?"},
        {"args = { a = uniform(0, {}, \"n\"), c = output(\"n\") }",
         "args.a: expected an expression such as \"n\" or 1024 for `hi`, found a table"},
        {"args = { a = uniform(true, 1, \"n\"), c = output(\"n\") }",
         "args.a: expected an expression such as \"n\" or 1024 for `lo`, found a boolean"},
        {"args = { a = host(3), c = output(\"n\") }", "args.a: expected uniform(...), another"},
        {"args = { a = scalar(3), c = output(\"n\") }", "args.a: expected uniform(...), another"},
        {"args = { a = uniform(0, 1, \"n\"), c = output(\"n\"), n = output(\"n\") }",
         "args.n: expected scalar(\"expression\")"},
        {"cases = { 3 }", "lab.cases: item 1 is a number, expected { n = 1003 }"},
        {"cases = { { n = \"3\", timed = true } }", "`n` is a string, expected a number"},
        {"cases = { { n = 3, timed = 1 } }", "timed: expected true or false"},
        {"cases = { { 3, n = 3, timed = true } }", "found an item without a name"},
        {"cases = { { [{}] = 3, n = 3, timed = true } }", "found an item without a name"},
        {"cases = { { [true] = 3, n = 3, timed = true } }", "found an item without a name"},
        {"hidden = { { 1, 2 } }", "found an item without a name"},
        {"hidden = { [{}] = { 1, 2 } }", "found an item without a name"},
        {"cases = { { n = 3, timed = true } }", ""},
        {"cases = { { n = 3, timed = true }, { n = 4, timed = true } }",
         "exactly one case is `timed = true`; found 2"},
        {"hidden = 3", "lab.hidden: expected { count = 3, n = { 1, 5000 } }, found a number"},
        {"hidden = { n = 3 }", "hidden.n: expected { lo, hi }, found a number"},
        {"hidden = { n = { 5, 4 } }", "hidden.n: expected { lo, hi } with lo <= hi"},
        {"hidden = { n = { 5, 5 } }", ""},
        {"hidden = { n = { from = { 4, 8 } } }", ""},
        {"hidden = { n = { from = {} } }", "hidden.n: expected a list of numbers in `from`"},
        {"hidden = { n = { from = { 4, \"a\" } } }",
         "hidden.n: expected a list of numbers in `from`"},
        {"hidden = { n = { \"a\", 5 } }", "hidden.n: expected { lo, hi } with lo <= hi"},
        {"hidden = { n = { 1, \"a\" } }", "hidden.n: expected { lo, hi } with lo <= hi"},
        {"hidden = { n = { 4, 8, multiple = 4 }, count = 5 }", ""},
        {"hidden = { n = { 5, 5 }, count = 0 }", ""},
        {"hidden = { n = { 5, 5 }, near = false }", ""},
        {"hidden = { n = { 5, 5 }, count = -1 }", "hidden.count: expected a number of cases"},
        {"hidden = { n = { 5, 5 }, count = -1e100 }", "hidden.count: expected a number of cases"},
        {"hidden = { n = { 5, 5 }, count = 1e100 }", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_row("%ssteps = { " EXERCISE " },\n%s }\n", &rows[i]);
}

static void of_goals(void) {
    static const row rows[] = {
        {"", "lab.goals: expected a list of goals"},
        {"3", "lab.goals: item 1 is no goal"},
        {"correct { points = 4 }, {}", "lab.goals: item 2 is no goal"},
        {"correct { points = 0 }", "no goal of correctness"},
        {"correct { points = 1000 }", ""},
        {"correct { points = 1001 }", "correct.points: expected 0 to 1000"},
        {"correct { points = -1 }", "correct.points: expected 0 to 1000"},
        {"correct { points = 4, " TEXT " }", ""},
        {"correct { points = 4, en = \"x\" }", "the Chinese text (zh) is missing"},
        {"correct { points = 4, zh = \"y\" }", "the English text (en) is missing"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"<=\", 4) { points = 1 }", ""},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"<\", 4) { points = 1, per = \"max\" }",
         ""},
        {"correct { points = 4 }, counter(\"gld_sectors\", \">\", 4) { points = 1, per = \"min\" }",
         "counter.per: expected \"max\", \"thread\" or nothing"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \">=\", 4) { points = 1, kernel = 3 }",
         "kernel: expected a text"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"==\", \"x\") { points = 1 }",
         "expected a number"},
        {"correct { points = 4 }, fraction(\"copy\", 0.8) { points = 1 }", ""},
        {"correct { points = 4 }, fraction(\"fp32\", 1) { points = 1 }", ""},
        {"correct { points = 4 }, tiers(\"copy\") { bronze = 0.4, silver = 0.6, gold = 0.8, "
         "points = 1 }",
         ""},
        {"correct { points = 4 }, tiers(\"copy\") { bronze = 0.4, gold = 0.8, points = 1 }",
         "tiers: `silver = NUMBER` is missing"},
        {"correct { points = 4 }, tiers(\"copy\") { bronze = 0.4, silver = 0.3, gold = 0.8, "
         "points = 1 }",
         "tiers: bronze, silver and gold are shares, each above the one before"},
        {"correct { points = 4 }, tiers(\"fp64\") { bronze = 0.4, silver = 0.6, gold = 0.8, "
         "points = 1 }",
         "tiers: tiers are of \"copy\" or \"fp32\", not of 'fp64'"},
        {"correct { points = 4 }, tiers(\"copy\") { bronze = 0.4, silver = 0.6, gold = 0.8, "
         "platinum = 0.9, points = 1 }",
         "tiers: unknown field `platinum`"},
        {"correct { points = 4 }, fraction(\"fp64\", 0.8) { points = 1 }",
         "fraction: expected \"copy\" or \"fp32\", found \"fp64\""},
        {"correct { points = 4 }, fraction(\"abc\", 0.8) { points = 1 }",
         "fraction: expected \"copy\" or \"fp32\", found \"abc\""},
        {"correct { points = 4 }, fraction(\"def\", 0.8) { points = 1 }",
         "fraction: expected \"copy\" or \"fp32\", found \"def\""},
        {"correct { points = 4 }, counter(\"gld_sectors\", \">\", 4) { points = 1, per = \"all\" }",
         "counter.per: expected \"max\", \"thread\" or nothing"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"!=\", 4) { points = 1 }",
         "counter: expected <=, <, ==, >= or >, found `!=`"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \">\", 4) { points = 1, relative = true "
         "}",
         "expected `at_least(\"gld_sectors\", 4 * baseline)`"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"<\", 4) { points = 1, relative = true "
         "}",
         "expected `at_most(\"gld_sectors\", 4 * baseline)`"},
        {"correct { points = 4 }, counter(\"gld_sectors\", \"==\", 4) { points = 1, relative = "
         "true }",
         "expected `at_least(\"gld_sectors\", 4 * baseline)`"},
        {"correct { points = 4 }, fraction(\"copy\", -0.01) { points = 1 }",
         "a threshold between 0 and 1"},
        {"correct { points = 4 }, at_least(\"gld_sectors\", {}) { points = 1 }",
         "at_least: expected a number or NUMBER * baseline, found a table"},
        {"correct { points = 4 }, at_most(\"gld_sector\", 4) { points = 1 }",
         "at_most: there is no counter `gld_sector`; the nearest is `gld_sectors`"},
        {"correct { points = 4 }, answer(\"b\") { is = \"text\", accept = { \"x\" }, points = 1 }, "
         "answer(\"a\") { is = \"text\", accept = { \"x\" }, points = 1 }, "
         "answer(\"c\") { is = \"text\", accept = { \"x\" }, points = 1 }",
         ""},
        {"correct { points = 4 }, answer(\"a\") { is = \"line\", counter = \"gld_sectors\", "
         "finding = "
         "\"oob\", points = 1 }",
         "largest) or `finding = \"...\"`, but not both"},
        {"correct { points = 4 }, answer(\"a\") { is = \"letters\", accesses = {}, points = 1 }",
         "answer.accesses: expected 1 to 32 texts"},
        {"correct { points = 4 }, answer(\"a\") { is = \"letters\", accesses = { \"\" }, points = "
         "1 }",
         "answer.accesses: item 1 is no text of the program's line"},
        {"correct { points = 4 }, answer(\"a\") { is = \"letters\", accesses = { \"x\", { 3 } }, "
         "points "
         "= 1 }",
         "answer.accesses: item 2 is no text of the program's line"},
        {"correct { points = 4 }, answer(\"a\") { is = \"letters\", accesses = { { \"x\", stor = 1 "
         "} "
         "}, points = 1 }",
         "unknown field `stor`; did you mean `store`?"},
        {"correct { points = 4 }, fraction(\"copy\", 0) { points = 1 }",
         "a threshold between 0 and 1"},
        {"correct { points = 4 }, fraction(\"copy\", 1.01) { points = 1 }",
         "a threshold between 0 and 1"},
        {"correct { points = 4 }, speedup(2) { points = 1 }", ""},
        {"correct { points = 4 }, slowest(4) { " TEXT " }", ""},
        {"correct { points = 4 }, slowest(0) { " TEXT " }", ""},
        {"correct { points = 4 }, slowest(0.5) { " TEXT " }",
         "slowest: expected a number of at least 1, or 0 (any time)"},
        {"correct { points = 4 }, slowest(4) {}", "the English text (en) is missing"},
        {"correct { points = 4 }, slowest(4) { points = 1, " TEXT " }", "unknown field `points`"},
        {"correct { points = 4 }, correct(3, 4)",
         "expected correct { ... }, found correct(number)"},
        {"correct { points = 4 }, correct()", "expected correct { ... }, found correct()"},
        {"correct { points = 4 }, speedup(2) (3)",
         "expected { points = ... } behind the goal, found number"},
        {"correct { points = 4 }, answer(\"a\") { is = \"line\", counter = \"gld_sectors\", of = "
         "\"baseline\", "
         "points = 1 }",
         ""},
        {"correct { points = 4 }, answer(\"a\") { is = \"number\", counter = \"gld_sectors\", "
         "tolerance = 1, of = \"baseline\", points = 1 }",
         ""},
        {"correct { points = 4 }, answer(\"a\") { is = \"number\", counter = \"gld_sectors\", "
         "tolerance = 1.01, of = \"baseline\", points = 1 }",
         "answer.tolerance: expected 0 (exact) to 1"},
        {"correct { points = 4 }, answer(\"a\") { is = \"number\", counter = \"gld_sectors\", "
         "tolerance = -0.01, of = \"baseline\", points = 1 }",
         "answer.tolerance: expected 0 (exact) to 1"},
        {"correct { points = 4 }, answer(\"a\") { is = \"number\", counter = \"gld_sectors\", "
         "points = 1 }",
         "a number is measured on a program that does not change"},
        {"correct { points = 4 }, answer(\"a\") { is = \"number\", points = 1 }",
         "`counter = \"...\"` is missing"},
        {"correct { points = 4 }, answer(\"A\") { is = \"text\", accept = { \"x\" }, points = 1 }",
         "expected a name of lower-case letters"},
        {"correct { points = 4 }, answer(\"\") { is = \"text\", accept = { \"x\" }, points = 1 }",
         "expected a name of lower-case letters"},
        {"correct { points = 4 }, answer(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\") { is = "
         "\"text\", accept = { \"x\" }, points = 1 }",
         ""},
        {"correct { points = 4 }, answer(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\") { is = "
         "\"text\", accept = { \"x\" }, points = 1 }",
         "expected a name of lower-case letters"},
        {"correct { points = 4 }, answer(\"a\") { is = \"text\", points = 1 }",
         "goes with `accept"},
        {"correct { points = 4 }, answer(\"a\") { is = \"text\", accept = { \"x\" }, points = 1 }, "
         "answer(\"a\") { is = \"text\", accept = { \"x\" }, points = 1 }",
         "there are two called \"a\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_row("%ssteps = { " EXERCISE " },\ngoals = { %s } }\n", &rows[i]);
}

static void of_questions(void) {
    static const row rows[] = {
        {"answer = 1", ""},
        {"answer = 1, tolerance = 0", ""},
        {"answer = 1, tolerance = 1", ""},
        {"answer = 1, tolerance = 1.01", "ask.tolerance: expected 0 (exact) to 1"},
        {"answer = 1, tolerance = -0.01", "ask.tolerance: expected 0 (exact) to 1"},
        {"answer = 1, unit = 3", "ask.unit: expected a text"},
        {"answer = {}", "ask.answer: expected a number, a function or measured"},
        {"answer = 1, accept = { \"x\" }",
         "expected exactly one of choices, accept and answer, found 2"},
        {"accept = {}", "ask.accept: expected at least one accepted form"},
        {"accept = { \"x\" }", ""},
        {"accept = { 3 }", "ask.accept: item 1 is a number, expected a text"},
        {"choices = { { \"a\", right = true } }", "ask.choices: expected a list of 2 to 9 choices"},
        {"choices = { { \"a\", right = true }, { \"b\" } }", ""},
        {"choices = { { \"a\", right = true }, { \"b\" }, { \"c\" }, { \"d\" }, { \"e\" }, "
         "{ \"f\" }, { \"g\" }, { \"h\" }, { \"i\" } }",
         ""},
        {"choices = { { \"a\", right = true }, { \"b\" }, { \"c\" }, { \"d\" }, { \"e\" }, "
         "{ \"f\" }, { \"g\" }, { \"h\" }, { \"i\" }, { \"j\" } }",
         "ask.choices: expected a list of 2 to 9 choices"},
        {"choices = { { \"a\", right = true }, 3 }", "ask.choices: item 2 is a number"},
        {"choices = { { \"a\", right = true }, { \"b\", wrong = true } }", "unknown field `wrong`"},
        {"choices = { { \"a\", right = true }, { \"b\" } }, order = \"fixed\"", ""},
        {"choices = { { \"a\", right = true }, { \"b\" } }, order = \"drawn\"",
         "ask.order: expected \"fixed\", with choices; found \"drawn\""},
        {"answer = 1, order = \"fixed\"", "ask.order: expected \"fixed\", with choices"},
        {"answer = 1, replies = { { 2, " TEXT " } }", ""},
        {"answer = 1, replies = {}", "ask.replies: expected a list of 1 to 8"},
        {"answer = 1, replies = { 3 }", "replies: item 1 is a number, expected a table"},
        {"answer = 1, replies = { { \"2\", " TEXT " } }",
         "replies: item 1 begins with string, expected the wrong answer it is for"},
        {"answer = 1, replies = { { " TEXT " } }", "replies: item 1 begins with nil"},
        {"accept = { \"x\" }, replies = { { \"z\", " TEXT " } }", ""},
        {"accept = { \"x\" }, replies = { { 2, " TEXT " } }", "replies"},
        {"answer = 1, replies = { {2, " TEXT "}, {3, " TEXT "}, {4, " TEXT "}, {5, " TEXT
         "}, {6, " TEXT "}, {7, " TEXT "}, {8, " TEXT "}, {9, " TEXT "} }",
         ""},
        {"answer = 1, replies = { {2, " TEXT "}, {3, " TEXT "}, {4, " TEXT "}, {5, " TEXT
         "}, {6, " TEXT "}, {7, " TEXT "}, {8, " TEXT "}, {9, " TEXT "}, {10, " TEXT "} }",
         "ask.replies: expected a list of 1 to 8"},
        {"choices = { { \"a\", right = true }, { \"b\" } }, replies = { { 2, " TEXT " } }",
         "a choice has its reply in itself"},
        {"answer = 1, draw = 3", "ask.draw: expected { n = { 1000, 20000 } }"},
        {"answer = 1, draw = \"size\"", "ask.draw: lab.draws has no `size`; it has nothing"},
        {"answer = 1, draw = same", "ask.draw: `same` as what?"},
        {"answer = 1, draw = { n = 3 }", "ask.draw: expected name = { lo, hi }"},
        {"answer = 1, draw = { { 1, 2 } }", "ask.draw: expected name = { lo, hi }"},
        {"answer = 1, draw = { n = { 2, 2 } }", ""},
        {"answer = 1, draw = { n = { 3, 2 } }", "ask.draw.n: expected { lo, hi } with lo <= hi"},
        {"answer = 1, draw = { n = { 1 } }", "ask.draw.n: expected { lo, hi } with lo <= hi"},
        {"answer = 1, draw = { n = { \"x\", 2 } }",
         "ask.draw.n: expected { lo, hi } with lo <= hi"},
        {"answer = 1, draw = { n = { 5, 9, multiple = 5 } }", ""},
        {"answer = 1, draw = { n = { 6, 9, multiple = 5 } }",
         "ask.draw.n: no multiple of 5 between 6 and 9"},
        {"answer = 1, draw = { n = { 6, 10, multiple = 5 } }", ""},
        {"answer = 1, draw = { n = { 6, 10, multiple = 0 } }", "no multiple of 0 between"},
        {"answer = 1, draw = { n = { from = {} } }", "ask.draw.n: `from` is empty"},
        {"answer = 1, draw = { n = { from = { 1, \"a\" } } }",
         "ask.draw.n: expected numbers in `from`"},
        {"answer = 1, draw = { n = { from = { 1, 2 } } }", ""},
        {"answer = 1, draw = { a = {1,2}, b = {1,2}, c = {1,2}, d = {1,2}, e = {1,2}, f = {1,2}, "
         "g = {1,2}, h = {1,2} }",
         ""},
        {"answer = 1, draw = { a = {1,2}, b = {1,2}, c = {1,2}, d = {1,2}, e = {1,2}, f = {1,2}, "
         "g = {1,2}, h = {1,2}, i = {1,2} }",
         "ask.draw: more than 8 numbers"},
        {"answer = 1, draw = { n = {1,2} } }, ask { " TEXT ", answer = 2, draw = same", ""},
        {"answer = measured { counter = \"gld_sectors\", of = \"baseline\" }", ""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/k.cu\" }", ""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/.cu\" }",
         "measured.of: expected mine, baseline, answer, skeleton or \"kernels/NAME.cu\""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/../k.cu\" }",
         "measured.of: expected mine, baseline, answer, skeleton or \"kernels/NAME.cu\""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/k.c\" }",
         "measured.of: expected mine, baseline, answer, skeleton or \"kernels/NAME.cu\""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernel/kk.cu\" }",
         "measured.of: expected mine, baseline, answer, skeleton or \"kernels/NAME.cu\""},
        {"answer = measured { counter = \"gld_sectors\", of = \"other\" }",
         "measured.of: expected mine, baseline, answer, skeleton or \"kernels/NAME.cu\""},
        {"answer = measured { counter = \"gld_sectors\", of = \"answer\", entry = \"void g(int "
         "n)\", "
         "args = {}, case = { n = 1 } }",
         "entry: goes with `of = \"kernels/NAME.cu\"`"},
        {"answer = measured { counter = \"gld_sectors\", of = \"mine\", entry = \"void g(int n)\", "
         "args = {}, case = { n = 1 } }",
         "entry: goes with `of = \"kernels/NAME.cu\"`"},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/k.cu\", entry = "
         "\"void g(int n)\", args = {}, case = { n = 1 } }",
         ""},
        {"answer = measured { counter = \"gld_sectors\", of = \"kernels/k.cu\", entry = "
         "\"void g(int n)\", args = {}, case = { n = 1 }, baseline = \"answer\" }",
         "baseline: expected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_row("%ssteps = { " EXERCISE ",\nask { " TEXT ", %s } } }\n", &rows[i]);
}

static void of_pictures(void) {
    static const row rows[] = {
        {"picture = \"banks\"", ""},
        {"picture = \"banks\", case = 3",
         "show.case: expected { n = 1000 } or a function, found a number"},
        {"picture = \"banks\", case = { n = 3 }", ""},
        {"picture = \"banks\", model = function() end",
         "the picture \"banks\" is measured and takes no model"},
        {"picture = \"lanes\", model = 3", "show.model: expected a function, found a number"},
        {"picture = \"lanes\", model = function() end", ""},
        {"picture = \"lanes\", model = function() end, lanes = 0",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"lanes\", model = function() end, lanes = 1", ""},
        {"picture = \"lanes\", model = function() end, lanes = 1024", ""},
        {"picture = \"lanes\", model = function() end, lanes = -1e100",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"rounds\", model = function() end, rounds = 4294967297",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"lanes\", model = function() end, lanes = 1025",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"rounds\", model = function() end, rounds = 0",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"rounds\", model = function() end, rounds = 16", ""},
        {"picture = \"rounds\", model = function() end, rounds = 17",
         "expected 1 to 1024 lanes and 1 to 16 rounds"},
        {"picture = \"counters\"", "the picture \"counters\" needs `counters"},
        {"picture = \"counters\", counters = { \"gld_sectors\" }", ""},
        {"picture = \"counters\", counters = { \"gld_sektors\" }", "the nearest is `gld_sectors`"},
        {"picture = \"calculator\"", ""},
        {"picture = \"calculator\", registers = 1, block = 1", ""},
        {"picture = \"calculator\", registers = 255, block = 1024, shared = 262144", ""},
        {"picture = \"calculator\", registers = 0, block = 256",
         "show.registers: expected a whole number from 1 to 255"},
        {"picture = \"calculator\", registers = 256, block = 256",
         "show.registers: expected a whole number from 1 to 255"},
        {"picture = \"calculator\", registers = 1.5, block = 256",
         "show.registers: expected a whole number from 1 to 255"},
        {"picture = \"calculator\", registers = 32, block = 0",
         "show.block: expected a whole number from 1 to 1,024"},
        {"picture = \"calculator\", registers = 32, block = 1025",
         "show.block: expected a whole number from 1 to 1,024"},
        {"picture = \"calculator\", registers = 32, block = 64, shared = -1",
         "show.shared: expected a whole number from 0 to 262,144"},
        {"picture = \"calculator\", registers = 32, block = 64, shared = 262145",
         "show.shared: expected a whole number from 0 to 262,144"},
        {"picture = \"calculator\", registers = 32", "`block = NUMBER` is missing"},
        {"picture = \"calculator\", block = 64", "show.block: goes with `registers`"},
        {"picture = \"calculator\", shared = 64", "show.shared: goes with `registers`"},
        {"picture = \"banks\", registers = 32",
         "show.registers: is for the picture \"calculator\""},
        {"picture = \"banks\", shared = 32", "show.shared: is for the picture \"calculator\""},
        {"picture = \"banks\", block = 32", "show.block: is for the picture \"calculator\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_row("%ssteps = { " EXERCISE ",\nshow { " TEXT ", %s } } }\n", &rows[i]);
    static const row compares[] = {
        {"", "compare: `counters = { \"...\" }` is missing"},
        {", counters = { \"gld_sectors\" }", ""},
        {", counters = { \"gld_sectors\", \"kernel_us\" }", ""},
    };
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
        try_row("%ssteps = { " EXERCISE ",\ncompare { " TEXT " %s } } }\n", &compares[i]);
}

/* ---- packs ---- */

static lab_pack *read_pack_text(const char *fields, lib_message *msg) {
    char path[200];
    snprintf(path, sizeof path, "%s/pack.lua", root);
    FILE *f = fopen(path, "w");
    fprintf(f, "return pack {\n name = \"p\", title = { " TEXT " }, version = \"1.0\",\n%s }\n",
            fields);
    fclose(f);
    lab_pack *p = pack_read(root, msg);
    remove(path);
    return p;
}

static void of_packs(void) {
    static const row rows[] = {
        {"", ""},
        {"name = \"a-pack-of-24-characters-\"", "pack.name: expected"},
        {"name = \"a-pack-of-24-characters1\"", ""},
        {"name = \"a-pack-of-25-characters12\"", "pack.name: expected"},
        {"name = \"a-pack-of-26-characters123\"", "pack.name: expected"},
        {"name = \"warplab\"", "pack.name: expected"},
        {"name = \"Caps\"", "pack.name: expected"},
        {"title = 3", "pack.title: expected { en = ..., zh = ... }, found a number"},
        {"language = \"en\"", ""},
        {"language = \"zh\"", ""},
        {"language = \"de\"", "pack.language: expected \"en\" or \"zh\""},
        {"version = \"1\"", ""},
        {"version = \"0.10.2\"", ""},
        {"version = \"\"", "pack.version: expected"},
        {"version = \".1\"", "pack.version: expected"},
        {"version = \"1.\"", "pack.version: expected"},
        {"version = \"1..2\"", "pack.version: expected"},
        {"version = \"1a\"", "pack.version: expected"},
        {"version = \"12345678901234567890123\"", ""},
        {"version = \"123456789012345678901234\"", "pack.version: expected"},
        {"order = { \"two\", \"one\" }", ""},
        {"order = { \"two\", \"two\" }", "pack.order: two is there twice"},
        {"order = { \"three\" }", "pack.order: there is no labs/three.lua"},
        {"weights = 3", "pack.weights: expected { [\"LAB\"] = 10 }, found a number"},
        {"weights = function() end", "pack.weights: expected { [\"LAB\"] = 10 }, found a function"},
        {"weights = { one = -1 }", "pack.weights: one: expected a number above 0"},
        {"weights = { one = 0/0 }", "pack.weights: one: expected a number above 0"},
        {"weights = { one = 1e-9 }", ""},
        {"deadlines = 3",
         "pack.deadlines: expected { [\"LAB\"] = \"2026-10-01 23:59\" }, found a number"},
        {"deadlines = { three = \"2026-10-01 23:59\" }",
         "pack.deadlines: there is no labs/three.lua"},
        {"weights = { one = \"x\" }",
         "pack.weights: expected [\"LAB\"] = 10, found string = string"},
        {"weights = { 3 }", "pack.weights: expected [\"LAB\"] = 10, found number = number"},
        {"weights = { three = 3 }", "pack.weights: there is no labs/three.lua"},
        {"weights = { one = 0 }", "pack.weights: one: expected a number above 0"},
        {"weights = { one = 1e6 }", ""},
        {"weights = { one = 1e6 + 1 }", "pack.weights: one: expected a number above 0"},
        {"weights = { one = 10, two = 20 }", ""},
        {"deadlines = { one = 3 }", "pack.deadlines: expected [\"LAB\"] = \"2026-10-01 23:59\""},
        {"deadlines = { one = \"2026-10-01 23:59\", two = \"2026-10-02 23:59\" }", ""},
        {"needs = 3", "pack.needs: expected { warplab = \"0.2\" }, found a number"},
        {"needs = { warplab = \"0.2\", other = \"1.0\" }", ""},
        {"needs = function() end", "pack.needs: expected { warplab = \"0.2\" }, found a function"},
        {"needs = { [\"a-pack-of-24-characters1\"] = \"1\" }", ""},
        {"needs = { [\"a-pack-of-25-characters12\"] = \"1\" }", "pack.needs: expected at most 8"},
        {"needs = { [\"a-pack-of-26-characters123\"] = \"1\" }", "pack.needs: expected at most 8"},
        {"needs = { Caps = \"1\" }", "pack.needs: expected at most 8"},
        {"needs = { other = \"1.\" }", "pack.needs: expected at most 8"},
        {"needs = { warplab = 2 }", "pack.needs: expected at most 8 of NAME"},
        {"needs = { \"1.0\" }", "pack.needs: expected at most 8 of NAME"},
        {"needs = { a = \"1\", b = \"1\", c = \"1\", d = \"1\", e = \"1\", f = \"1\", g = \"1\", "
         "h = \"1\" }",
         ""},
        {"needs = { a = \"1\", b = \"1\", c = \"1\", d = \"1\", e = \"1\", f = \"1\", g = \"1\", "
         "h = \"1\", i = \"1\" }",
         "pack.needs: expected at most 8 of NAME"},
        {"answers = \"passed\"", ""},
        {"answers = \"2026-12-01 12:00\"", ""},
        {"answers = \"soon\"", "pack.answers: expected \"passed\" or a moment"},
        {"answers = \"never\"", "pack.answers: expected \"passed\" or a moment"},
        {"language = \"fr\"", "pack.language: expected \"en\" or \"zh\""},
        {"language = \"zz\"", "pack.language: expected \"en\" or \"zh\""},
        {"name = \"a\"", ""},
        {"name = \"z\"", ""},
        {"name = nil", "pack: `name = \"...\"` is missing"},
        {"version = nil", "pack: `version = \"...\"` is missing"},
        {"title = nil", "pack: `title = { en = ..., zh = ... }` is missing"},
        {"title = { en = \"x\" }", "title: the Chinese text (zh) is missing"},
        {"language = \"en\", title = { en = \"x\" }", ""},
        {"language = \"zh\", title = { en = \"x\" }", "title: the Chinese text (zh) is missing"},
        {"language = \"zh\", title = { zh = \"x\" }", ""},
        {"language = \"en\", title = { zh = \"x\" }", "title: the English text (en) is missing"},
        {"order = { \"one\", \"two\", \"one\" }", "pack.order: one is there twice"},
        {"deadlines = { [1] = \"2026-10-01 23:59\" }",
         "pack.deadlines: expected [\"LAB\"] = \"2026-10-01 23:59\", found number = string"},
        {"anwsers = \"passed\"", "unknown field `anwsers`; did you mean `answers`?"},
    };
    lib_message msg;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        msg = (lib_message){0};
        lab_pack *p = read_pack_text(rows[i].text, &msg);
        check_that(*rows[i].part ? !p && strstr(said(&msg), rows[i].part) : p != NULL, __FILE__,
                   __LINE__, rows[i].text, p ? "it is taken" : said(&msg));
        free(p);
    }
    lab_pack *p =
        read_pack_text("order = { \"two\" }, weights = { one = 10, two = 20 },\n"
                       "deadlines = { one = \"2026-10-01 23:59\", two = \"2026-10-02\" },\n"
                       "needs = { warplab = \"0.2\" }, language = \"zh\"",
                       &msg);
    CHECK(p != NULL);
    if (!p) return;
    CHECK(p->lab_count == 2 && p->ordered == 1 && p->need_count == 1 && p->only == LAB_ONLY_ZH);
    CHECK_STR(p->labs[0].id, "two");
    CHECK_STR(p->labs[1].id, "one");
    CHECK(p->labs[0].points == 20 && p->labs[1].points == 10);
    CHECK_STR(p->labs[0].deadline, "2026-10-02");
    CHECK_STR(p->labs[1].deadline, "2026-10-01 23:59");
    CHECK_STR(p->needs[0].version, "0.2");
    free(p);
    static const char *const versions[] = {"0.9", "0.10", "1", "1.0.1", "1.9", "1.10", "2", "10"};
    enum { VERSIONS = sizeof versions / sizeof *versions };
    for (int i = 0; i < VERSIONS; i++)
        for (int k = 0; k < VERSIONS; k++) {
            int order = pack_version_order(versions[i], versions[k]);
            CHECK((order > 0) - (order < 0) == (i > k) - (i < k));
        }
    CHECK_INT(pack_version_order("1.0", "1"), 0);
}

int main(void) {
    char path[120];
    snprintf(root, sizeof root, "/tmp/warplab-fields-XXXXXX");
    if (!mkdtemp(root)) return 1;
    snprintf(path, sizeof path, "%s/labs", root);
    mkdir(path, 0700);
    of_the_lab();
    of_arguments_and_cases();
    of_goals();
    of_questions();
    of_pictures();
    snprintf(path, sizeof path, "%s/labs/t.lua", root);
    remove(path);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/labs/%s.lua", root, k ? "two" : "one");
        fclose(fopen(path, "w"));
    }
    of_packs();
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/labs/%s.lua", root, k ? "two" : "one");
        remove(path);
    }
    snprintf(path, sizeof path, "%s/labs", root);
    rmdir(path);
    rmdir(root);
    return check_done();
}
