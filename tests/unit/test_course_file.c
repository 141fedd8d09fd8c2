/* The restricted Lua of lessons, courses and exams, by way of a course's file: its table as JSON,
 * its library, its constructors, the limits of what may be returned, and the whole of each message.
 * Expected values are the Lua manual's, arithmetic done by hand, and what course_file.h and
 * lua_lesson.h promise. */
#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <unistd.h>
#include "runner/course/course_file.h"
#include "runner/lesson/lua_lesson.h"
#include "grader/lab.h"
#include "tests/unit/folder_fixture.h"
#include "tests/said.h"

/* What a file with this text gives; free() it. */
static char *read_text(const char *text) {
    put("course.lua", text);
    msg = (lib_message){0};
    return course_file_read(in("course.lua"), "course", &msg);
}
static void gives(const char *text, const char *json) {
    char *got = read_text(text);
    if (!got) printf("# %s\n", said(&msg));
    CHECK_STR(got, json);
    CHECK_STR(said(&msg), "");
    free(got);
}
static void says(const char *text, const char *message) {
    char *got = read_text(text);
    CHECK(got == NULL);
    CHECK_STR(said(&msg), message);
    free(got);
}
/* One value, and the JSON of it where it stands. */
static void is(const char *expression, const char *json) {
    char text[1000], want[1000];
    snprintf(text, sizeof text, "return course { v = %s }", expression);
    snprintf(want, sizeof want, "{\n \"v\": %s\n}", json);
    gives(text, want);
}
/* What fails in the second line. */
static void fails(const char *expression, const char *message) {
    char text[1000], want[1000];
    snprintf(text, sizeof text, "return course {\n v = %s }", expression);
    snprintf(want, sizeof want, "course.lua:2: %s", message);
    says(text, want);
}

static void values(void) {
    gives("return course { b = true, c = false, a = 2, e = \"\\\"中\", d = { 1, { x = 0.5 } }, "
          "f = {}, [\"(own)\"] = function() end }", /* a name of the reader's own */
          "{\n \"a\": 2.0,\n \"b\": true,\n \"c\": false,\n \"d\": [\n  1.0,\n  {\n   \"x\": "
          "0.5\n  }\n ],\n \"e\": \"\\\"中\",\n \"f\": {}\n}");
}

#define MUST                                                                                       \
    "course.lua: expected fields with names that are texts, numbers, true, false or tables or "    \
    "lists of such, in at most 8 levels, 100,000 fields and 8 MiB of texts"
static void limits(void) {
    static const struct {
        const char *text;
        bool taken;
    } rows[] = {
        /* the returned table is level 0: what stands in eight tables is at level 8 */
        {"local t = 1 for i = 1, 7 do t = { a = t } end return course { a = t }", true},
        {"local t = 1 for i = 1, 8 do t = { a = t } end return course { a = t }", false},
        {"local t = 1 for i = 1, 7 do t = { t } end return course { a = t }", true},
        {"local t = 1 for i = 1, 8 do t = { t } end return course { a = t }", false},
        /* the returned table and the list count too */
        {"local t = {} for i = 1, 99998 do t[i] = true end return course { a = t }", true},
        {"local t = {} for i = 1, 99999 do t[i] = true end return course { a = t }", false},
        {"local s = ('x'):rep(1 << 20) return course { s, s, s, s, s, s, s, s }", true},
        {"local s = ('x'):rep(1 << 20) return course { s, s, s, s, s, s, s, s, '' }", true},
        {"local s = ('x'):rep(1 << 20) return course { s, s, s, s, s, s, s, s, 'y' }", false},
        {"return course { a = 1e308 }", true},
        {"return course { a = math.huge }", false},
        {"return course { a = -math.huge }", false},
        {"return course { a = 0 / 0 }", false},
        {"return course { a = function() end }", false},
        {"return course { a = { function() end } }", false},
        {"return course { [0.5] = 1 }", false},
        {"return course { [true] = 1 }", false},
        {"return course { a = 'k\\xe9' }", false},
        {"return course { ['k\\xe9'] = 1 }", false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *got = read_text(rows[k].text);
        if (!CHECK((got != NULL) == rows[k].taken)) printf("# %s\n", rows[k].text);
        if (!rows[k].taken) CHECK_STR(said(&msg), MUST);
        free(got);
    }
    /* The file itself: a MiB. */
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 2);
    for (int n = MOST; n <= MOST + 1; n++) {
        static const char before[] = "return course { a = 1 } --";
        memset(text, ' ', (size_t)n);
        memcpy(text, before, sizeof before - 1);
        text[n] = 0;
        char *got = read_text(text);
        CHECK((got != NULL) == (n == MOST));
        free(got);
    }
    CHECK_CONTAINS(said(&msg), "course.lua is 1.0 MB long; at most 1.0 MB is read");
    free(text);
    /* Where there is no folder in its path, and where there is no file. */
    put("course.lua", "return course { a = \xff }");
    CHECK(!chdir(root) && !course_file_read("course.lua", "course", &msg));
    CHECK_STR(said(&msg), "course.lua:1: a byte that is not UTF-8; save the file as UTF-8");
    CHECK_STR(said_zh(&msg), "course.lua:1：有不属于 UTF-8 的字节；请把文件存为 UTF-8");
    CHECK(!course_file_read("none.lua", "course", &msg));
    CHECK_STR(said(&msg), "cannot read none.lua: No such file or directory");
}

static void ends(void) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "course.lua: the file must end in `return course { ... }`"},
        {"return 3", "course.lua: the file must end in `return course { ... }`"},
        {"return exam {}", "course.lua: the file must end in `return course { ... }`"},
        {"return { [\"(kind)\"] = {} }",
         "course.lua: the file must end in `return course { ... }`"},
        {"\n\nwhile true do\nend", "course.lua:3: the lesson runs too long (an endless loop?)"},
        {"local s = 'x' while true do s = s .. s end",
         "course.lua: the lesson needs more than 16 MiB of memory"},
        {"error({})", "course.lua: the lesson raised an error that is not a text"},
        {"error('no', 0)", "course.lua: no"},
        {"\nerror('no')", "course.lua:2: no"},
        {"\n x = = 3", "course.lua:2: unexpected symbol near '='"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) says(rows[k].text, rows[k].message);
}

static void library(void) {
    static const struct {
        const char *expression, *json;
    } rows[] = {{"ceil_div(7, 2)", "4.0"},
                {"ceil_div(8, 2)", "4.0"},
                {"ceil_div(-7, 2)", "-3.0"},
                {"math.type(ceil_div(7, 2))", "\"integer\""},
                {"math.type(ceil_div(1e300, 2))", "\"float\""},
                {"('ab'):rep(3)", "\"ababab\""},
                {"('ab'):rep(1)", "\"ab\""},
                {"('ab'):rep(0)", "\"\""},
                {"('ab'):rep(-1)", "\"\""},
                {"#('x'):rep(1 << 20)", "1048576.0"},
                {"#('ab'):rep(1 << 19)", "1048576.0"},
                {"#(''):rep(1 << 20)", "0.0"},
                {"table.concat({ 1, 'a', 2.5 }, '-')", "\"1-a-2.5\""},
                {"table.concat({ 'a', 'b' })", "\"ab\""},
                {"table.concat({ 'a' }, '-', 3)", "\"a\""},
                {"table.concat({}, '-')", "\"\""},
                {"select('#', table.insert({}, 1))", "0.0"},
                {"(function() local t = { 7 } table.insert(t, 8) return t[2] end)()", "8.0"},
                {"select('#', table.unpack({ 1, 2 }))", "2.0"},
                {"('aBc'):upper() .. ('aBc'):lower() .. ('abc'):reverse() .. ('abc'):sub(2, 2)",
                 "\"ABCabccbab\""},
                {"baseline.factor", "1.0"},
                {"(0.25 * baseline).factor", "0.25"},
                {"(baseline * 3).factor", "3.0"},
                {"baseline[\"(kind)\"] .. (2 * baseline)[\"(kind)\"] .. same[\"(kind)\"]",
                 "\"baselinebaselinesame\""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) is(rows[k].expression, rows[k].json);
    static const struct {
        const char *expression, *message;
    } wrong[] = {{"ceil_div(1, 0)", "ceil_div: division by zero"},
                 {"('x'):rep()", "bad argument #1 to 'rep' (number expected, got no value)"},
                 {"('x'):rep({})", "bad argument #1 to 'rep' (number expected, got table)"},
                 {"string.rep({}, 2)", "bad argument #1 to 'rep' (string expected, got table)"},
                 {"('x'):rep((1 << 20) + 1)", "string.rep: longer than 1 MiB"},
                 {"('ab'):rep((1 << 19) + 1)", "string.rep: longer than 1 MiB"},
                 {"(''):rep((1 << 20) + 1)", "string.rep: longer than 1 MiB"},
                 {"table.concat({ 1, {}, 3 })", "table.concat: item 2 is a table"},
                 {"table.concat({ true })", "table.concat: item 1 is a boolean"},
                 {"table.insert({}, 1, 2)", "table.insert(list, value): a lesson may only append"},
                 {"table.insert({})", "table.insert(list, value): a lesson may only append"},
                 {"baseline * baseline", "expected NUMBER * baseline, found table * table"},
                 {"'2' * baseline", "expected NUMBER * baseline, found string * table"},
                 {"baseline * nil", "expected NUMBER * baseline, found table * nil"},
                 {"true * baseline", "expected NUMBER * baseline, found boolean * table"},
                 {"sya {}", "unknown name `sya`; did you mean `say`?"},
                 {"sayxx", "unknown name `sayxx`; did you mean `say`?"}, /* two letters too many */
                 {"sayxxx", "unknown name `sayxxx` (a local needs `local`)"},
                 {"sume", "unknown name `sume`; did you mean `same`?"},
                 {"_ENV[1]", "unknown name `?` (a local needs `local`)"},
                 {"io.open('x')", "`io` is not available in a lesson"},
                 {"print", "`print` is not available in a lesson"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        fails(wrong[k].expression, wrong[k].message);
    /* All that there is besides: nothing of these is nil, and nothing else is there. */
    gives(
        "local n = 0 for _, t in ipairs { math, string, table } do for k in pairs(t) do n = n + 1 "
        "end end for _, f in ipairs { assert, error, ipairs, next, pairs, select, tonumber, "
        "tostring, type } do n = n + 100 end return course { n = n }",
        /* 14 of math, 8 and rep of string, unpack, concat and insert of table; nine functions */
        "{\n \"n\": 926.0\n}");
}

static void constructors(void) {
    static const struct {
        const char *expression, *json;
    } rows[] = {
        {"uniform(-1, 2, 'n')", "{\n  \"count\": \"n\",\n  \"hi\": 2.0,\n  \"lo\": -1.0\n }"},
        {"iota('n')", "{\n  \"count\": \"n\"\n }"},
        {"iota('n', 3)", "{\n  \"count\": \"n\",\n  \"lo\": 3.0\n }"},
        {"iota('n', 3, 4)", "{\n  \"count\": \"n\",\n  \"hi\": 4.0,\n  \"lo\": 3.0\n }"},
        {"output('n')", "{\n  \"count\": \"n\"\n }"},
        {"output('n', { ops = 1 })",
         "{\n  \"count\": \"n\",\n  \"options\": {\n   \"ops\": 1.0\n  }\n }"},
        {"counter('a', '<=', 4)",
         "{\n  \"name\": \"a\",\n  \"relation\": \"<=\",\n  \"threshold\": 4.0\n }"},
        /* the second call's fields replace the first one's */
        {"speedup(2) { points = 3, threshold = 5 }",
         "{\n  \"points\": 3.0,\n  \"threshold\": 5.0\n }"},
        {"(say { en = 'x', 1 })[\"(kind)\"]", "\"say\""},
        {"speedup(2)[\"(kind)\"]", "\"speedup\""},
        {"(function()\n\n return say {}\n end)()[\"(line)\"]", "3.0"},
        {"(function()\n return speedup(2)\n {} end)()[\"(line)\"]", "2.0"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) is(rows[k].expression, rows[k].json);
    static const struct {
        const char *expression, *message;
    } wrong[] = {{"uniform(1)", "expected uniform(lo, hi, count), found 1 value"},
                 {"uniform(1, 2, 'n', 4)", "expected uniform(lo, hi, count), found 4 values"},
                 {"iota()", "expected iota(count, lo, hi), found 0 values"},
                 {"iota('n', 1, 2, 3)", "expected iota(count, lo, hi), found 4 values"},
                 {"zeros()", "expected zeros(count), found 0 values"},
                 {"say(1)", "expected say { ... }, found say(number)"},
                 {"say()", "expected say { ... }, found say()"},
                 {"say({}, 2)", "expected say { ... }, found say(table)"},
                 {"speedup(2)(3)", "expected { points = ... } behind the goal, found number"},
                 {"speedup(2)(3, {})", "expected { points = ... } behind the goal, found number"},
                 {"speedup(2)()", "expected { points = ... } behind the goal, found no value"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        fails(wrong[k].expression, wrong[k].message);
}

/* The line that a missing '}' is told by. Lua stops at the second 1; what follows is anything, and
 * its '{' stand one deeper than the course's. */
static void unclosed(const char *rest, unsigned line) {
    char text[1000], want[200];
    snprintf(text, sizeof text, "return course { 1 1\n%s", rest);
    free(read_text(text));
    static const char lua[] = "course.lua:1: '}' expected near '1'";
    if (line)
        snprintf(want, sizeof want,
                 "course.lua:%u: by its indentation, this line's '{' has no '}' (%s)", line, lua);
    else snprintf(want, sizeof want, "%s", lua);
    if (strcmp(said(&msg), want)) printf("# %s\n", rest);
    CHECK_STR(said(&msg), want);
}
static void braces(void) {
    static const struct {
        const char *rest;
        unsigned line;
    } rows[] = {{"  {\n}\n", 2},
                {"  {\n }", 2},
                {"  {\n  }\n}\n", 0},
                {"  {\n   }\n", 0},
                {"\n    x = {\n   }\n", 3},
                {"\n    x = {\n    }\n", 0},
                {"  {\n  {\n}\n", 3},
                {"  {\n x }\n}\n", 0},    /* that one does not begin its line */
                {"  {\n\t}\n}\n", 0},     /* nor does what stands behind a tab */
                {"}\n}\n}\n  {\n}\n", 5}, /* more than there are to close */
                {"  { }\n {\n}\n", 3},
                /* ends of texts and comments that never end */
                {"[[", 0},
                {"[=", 0},
                {"[", 0},
                {"-", 0},
                {"--", 0},
                {"--[", 0},
                {"'", 0},
                {"'\\", 0},
                {"--[==[ ]=", 0},
                {"--[[ ]", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) unclosed(rows[k].rest, rows[k].line);
    /* Braces in comments and texts are none. */
    static const char *const skipped[] = {"-- {",
                                          "--{",
                                          "--[[ {\n { ]]",
                                          "--[==[ { ]] { ]=] { ]==]",
                                          "--[= {",
                                          "--[ {",
                                          "'{'",
                                          "\"{\"",
                                          "'\\'{'",
                                          "\"\\\"{\"",
                                          "'\\\\' '{'",
                                          "'\"{'",
                                          "'{",
                                          "\"\\\n{\"",
                                          "[[{]]",
                                          "[=[ {]]{ ]=]",
                                          "[==[{]=]]==]",
                                          "[[{]=]{]]",
                                          "[1] - {} -{}",
                                          "[= {}",
                                          "[[]{]]",
                                          "[=[]={]==]]=]",
                                          "''",
                                          "--[[]] -- {"};
    for (size_t k = 0; k < sizeof skipped / sizeof *skipped; k++) {
        char rest[100];
        unsigned lines = 0;
        for (const char *p = skipped[k]; *p; p++) lines += *p == '\n';
        snprintf(rest, sizeof rest, "  {\n%s\n}\n", skipped[k]);
        unclosed(rest, 2);
        snprintf(rest, sizeof rest, "%s\n  {\n}\n", skipped[k]); /* lines are counted in them */
        unclosed(rest, 3 + lines);
    }
    /* 200 levels are followed; the course's and that of the indented line among them. */
    for (int n = 198; n <= 199; n++) {
        char rest[300];
        memset(rest, '{', sizeof rest);
        snprintf(rest + n, sizeof rest - (size_t)n, "\n  {\n}\n");
        unclosed(rest, n == 198 ? 3 : 0);
    }
}

static void field_lines(void) {
    static const char text[] = "a = 1\n  ab = 2\nxa = 3, a= 4\nb == 5\nb  \t= 6\nlast=7";
    lab_state s = {.source = (char *)text};
    static const struct {
        unsigned from;
        const char *field;
        unsigned line;
    } rows[] = {{1, "a", 1}, {0, "a", 1}, {2, "a", 3},    {3, "a", 3},  {4, "a", 4},
                {1, "b", 5}, {5, "b", 5}, {6, "b", 6},    {1, "ab", 2}, {1, "last", 6},
                {9, "a", 9}, {7, "c", 7}, {2, "lasts", 2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_INT(lesson_line(&s, rows[k].from, rows[k].field), rows[k].line);
    /* A name is whole: no letter, digit or '_' before it. */
    for (int c = 1; c < 127; c++) {
        char line[] = "\n?a = 1";
        line[1] = (char)c;
        s.source = line;
        if (c == '\n') continue;
        unsigned got = lesson_line(&s, 1, "a"), want = isalnum(c) || c == '_' ? 1 : 2;
        if (got != want) CHECK_INT(c, -1);
    }
    s.source = NULL;
    CHECK_INT(lesson_line(&s, 4, "a"), 4);
}

/* ---- functions of a lesson ---- */

static lab_state *loaded(const char *text) {
    lab_state *s = lesson_state_new("t", &msg);
    if (!s || !lesson_lua_run(s, text, strlen(text), "course", &msg)) printf("# %s\n", said(&msg));
    return s;
}
static int field_ref(lab_state *s, const char *name) {
    lua_rawgeti(s->L, LUA_REGISTRYINDEX, s->table);
    lua_getfield(s->L, -1, name);
    int ref = luaL_ref(s->L, LUA_REGISTRYINDEX);
    lua_settop(s->L, 0);
    return ref;
}

static void numbers(void) {
    lab_state *s =
        loaded("return course {\n"
               "  both = function(i, j, d) return 100 * i + 10 * j + d.n end,\n"
               "  one = function(i, d) return 10 * i + d.n end,\n"
               "  none = function(d) return d.n end,\n"
               "  whole = function(d) return math.type(d.n) == 'integer' end,\n"
               "  half = function(d) return math.type(d.h) == 'float' and d.h == 2.5 end,\n"
               "  large = function(d) return math.type(d.l) == 'float' end,\n"
               "  empty = function(d) return next(d) == nil end,\n"
               "  nothing = function() end,\n"
               "  many = function() return 1, 2 end,\n"
               "  text = function() return '5' end,\n"
               "  inf = function() return 1 / 0 end }");
    lab_drawn d = {.count = 3, .p = {{"h", 2.5}, {"l", 1e300}, {"n", 7}}};
    static const struct {
        const char *function;
        int i, j;
        double want;
    } rows[] = {{"both", 3, 2, 327},  {"both", 0, 0, 7},   {"one", 4, -1, 47},
                {"one", 0, -1, 7},    {"one", -1, 5, 57},  {"none", -1, -1, 7},
                {"whole", -1, -1, 1}, {"half", -1, -1, 1}, {"large", -1, -1, 1},
                {"empty", -1, -1, 0}, {"many", -1, -1, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double v = -7;
        CHECK(lesson_lua_number(s, field_ref(s, rows[k].function), &d, rows[k].i, rows[k].j, &v,
                                &msg));
        CHECK_NEAR(v, rows[k].want, 0);
    }
    double v = 0;
    CHECK(lesson_lua_number(s, field_ref(s, "empty"), NULL, -1, -1, &v, &msg) && v == 1);
    CHECK(!lesson_lua_number(s, field_ref(s, "nothing"), &d, -1, -1, &v, &msg));
    CHECK(!lesson_lua_number(s, field_ref(s, "text"), &d, -1, -1, &v, &msg));
    CHECK_STR(said(&msg), "t: expected a number from the function, found string");
    CHECK(!lesson_lua_number(s, field_ref(s, "inf"), &d, -1, -1, &v, &msg));
    CHECK_STR(said(&msg), "t: the lesson's function gave a number that is not finite");
    CHECK_STR(said_zh(&msg), "t：讲义里的函数算出的数不是有限数");
    lesson_state_free(s);
}

static void params(void) {
    lab_state *s = loaded("return course {\n"
                          "  two = { n = 3, m = 0.5 }, none = {},\n"
                          "  three = { a = 1, b = 2, c = 3 }, text = { n = 'x' }, list = { 4 },\n"
                          "  made = function(d) return { n = 2 * d.n } end,\n"
                          "  number = function(d) return 5 end }");
    lab_drawn d = {.count = 1, .p = {{"n", 21}}};
    grade_param p[2] = {{0}};
    size_t n = 9;
    CHECK(lesson_lua_params(s, field_ref(s, "two"), NULL, p, 2, &n, &msg));
    CHECK_INT(n, 2);
    const grade_param *of_n = strcmp(p[0].name, "n") ? &p[1] : &p[0], *of_m = &p[of_n == p];
    CHECK_STR(of_n->name, "n");
    CHECK_STR(of_m->name, "m");
    CHECK(of_n->value == 3 && of_m->value == 0.5);
    CHECK(lesson_lua_params(s, field_ref(s, "made"), &d, p, 2, &n, &msg));
    CHECK_INT(n, 1);
    CHECK(!strcmp(p[0].name, "n") && p[0].value == 42);
    CHECK(lesson_lua_params(s, field_ref(s, "none"), NULL, p, 2, &n, &msg));
    CHECK_INT(n, 0);
    static const struct {
        const char *field, *message;
    } wrong[] = {{"three", "t: more than 2 parameters in a case"},
                 {"text", "t: expected name = number in the case, found a string = string"},
                 {"list", "t: expected name = number in the case, found a number = number"},
                 {"number", "t: expected a table of numbers for the case, found number"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        n = 9;
        CHECK(!lesson_lua_params(s, field_ref(s, wrong[k].field), &d, p, 2, &n, &msg));
        CHECK_STR(said(&msg), wrong[k].message);
        CHECK_INT(n, 9);
    }
    lesson_state_free(s);
}

/* ---- the arena ---- */

enum { MOST = 64 << 20 };
static int take(lua_State *L) {
    const size_t *bytes = lua_touserdata(L, 1);
    for (; *bytes; bytes++) lesson_alloc(lesson_of(L), *bytes);
    return 0;
}
static void arena(void) {
    lab_state *s = lesson_state_new("t", &msg);
    /* sixteens, one behind the other, in blocks of 16 KiB */
    char *a = lesson_alloc(s, 1), *b = lesson_alloc(s, 16), *c = lesson_alloc(s, 17),
         *d = lesson_alloc(s, 16384 - 16 - 16 - 32);
    CHECK(b == a + 16 && c == b + 16 && d == c + 32);
    CHECK_INT(s->held, 16384);
    const arena_block *first = s->arena;
    memset(d, 1, 16384 - 64);
    char *e = lesson_strdup(s, "text");
    CHECK(s->arena != first);
    CHECK_STR(e, "text");
    const arena_block *second = s->arena;
    char *large = lesson_alloc(s, 16385); /* a block of its own */
    CHECK(s->arena != second);
    memset(large, 1, 16400);
    CHECK_INT(s->held, 16384 + 16 + 16400);
    lesson_state_free(s);
    /* 64 MiB, at once or in pieces; one byte more is an error. */
    static const struct {
        size_t bytes[3];
        bool taken;
    } rows[] = {{{MOST}, true},
                {{MOST + 1}, false},
                {{MOST, 1}, false},
                {{MOST / 2, MOST / 2}, true},
                {{MOST / 2, MOST / 2 + 1}, false},
                {{MOST - 16, 16}, true},
                {{MOST - 16, 17}, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        s = lesson_state_new("t", &msg);
        msg = (lib_message){0};
        CHECK(lesson_lua_protected(s, take, (void *)rows[k].bytes, &msg) == rows[k].taken);
        CHECK_STR(
            said(&msg),
            rows[k].taken ? "" : "t: the lesson's texts and lists need more than 64 MiB of memory");
        lesson_state_free(s);
    }
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-course-XXXXXX");
    if (!mkdtemp(root)) return 1;
    values();
    limits();
    ends();
    library();
    constructors();
    braces();
    field_lines();
    numbers();
    params();
    arena();
    lib_remove_tree(root);
    return check_done();
}
