/* The restricted Lua in which lessons run. lua_lesson.h says what each file does.
 *
 *   text --load (text only, never bytecode)--> function --pcall, hook counting-->
 *                                                           table from the constructors
 *
 * These are left out on purpose: io, os, debug, package, load; pcall, because a lesson must not
 * catch the errors of the limits; coroutines, because the hook counts only one thread; string
 * patterns, because the hook cannot interrupt them and they may run for ever; math.random, because
 * `draw` draws the numbers. Only this file and the readers (lua_*.c) raise Lua errors. No function
 * called between them owns memory. */
#include "runner/lesson/lua_lesson.h"
#include "grader/lab.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/base/word.h"
#include "runner/term/text.h"
#include "grader/goal/goal.h"
#include "words/lesson.h"

enum {
    HOOK_EVERY = 100,
    LOAD_TICKS = 200000,
    CALL_TICKS = 20000,
    MEMORY_LIMIT = 16 << 20,
    ARENA_LIMIT = 64 << 20, /* the same text may be in many fields, and each has its own copy */
    MAX_FIELDS = 8,
    SECONDS = 2 /* of CPU time */
};

/* ---- arena and state ---- */

struct arena_block {
    arena_block *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

void *lesson_alloc(lab_state *s, size_t n) {
    if (s->guarded && (n > ARENA_LIMIT || s->held > ARENA_LIMIT - n))
        lesson_fail(s->L, 0, NULL, w_lesson_texts_too_large(ARENA_LIMIT >> 20));
    n = (n + 15) & ~(size_t)15;
    s->held += n;
    if (!s->arena || s->arena->size - s->arena->used < n) {
        size_t size = n > 16384 ? n : 16384;
        arena_block *b = calloc(1, sizeof *b + size);
        if (!b) abort();
        b->size = size;
        b->next = s->arena;
        s->arena = b;
    }
    void *p = s->arena->bytes + s->arena->used;
    s->arena->used += n;
    return p;
}

char *lesson_strdup(lab_state *s, const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(lesson_alloc(s, n), text, n);
}

static void *limited_alloc(void *user, void *ptr, size_t old, size_t want) {
    lab_state *s = user;
    if (!ptr) old = 0;
    if (!want) {
        free(ptr);
        s->used -= old;
        return NULL;
    }
    if (want > old && s->used + (want - old) > s->limit) return NULL;
    void *p = realloc(ptr, want);
    if (p) s->used += want - old;
    return p;
}

lab_state *lesson_of(lua_State *L) {
    void *s;
    lua_getallocf(L, &s);
    return s;
}

static unsigned caller_line(lua_State *L) {
    lua_Debug ar;
    for (int level = 1; lua_getstack(L, level, &ar) && lua_getinfo(L, "l", &ar); level++)
        if (ar.currentline > 0) return (unsigned)ar.currentline;
    return 0;
}

static void on_hook(lua_State *L, lua_Debug *ar) {
    lab_state *s = lesson_of(L);
    /* The hook does not run during a library call, and a call with a long text can take long.
     * Therefore time counts, too. */
    if (--s->ticks > 0 && lib_worked() <= s->deadline) return;
    /* in a library call: the line of its caller */
    unsigned line =
        lua_getinfo(L, "l", ar) && ar->currentline > 0 ? (unsigned)ar->currentline : caller_line(L);
    lesson_fail(L, line, NULL, w_lesson_too_long());
}

/* ---- errors ---- */

unsigned lesson_line(const lab_state *s, unsigned line, const char *field) {
    const char *source = s->source;
    size_t len = strlen(field);
    unsigned at = 1;
    for (const char *p = source; p && *p; at++) {
        const char *end = strchr(p, '\n');
        size_t n = end ? (size_t)(end - p) : strlen(p);
        for (size_t i = 0; at >= line && i + len <= n; i++) {
            if (strncmp(p + i, field, len) != 0) continue;
            char before = i ? p[i - 1] : ' ';
            size_t k = i + len + strspn(p + i + len, " \t");
            bool word = before == '_' || (before >= '0' && before <= '9') ||
                        ((before | 32) >= 'a' && (before | 32) <= 'z');
            if (!word && p[k] == '=' && p[k + 1] != '=') return at;
        }
        p = end ? end + 1 : NULL;
    }
    return line;
}

void lesson_fail(lua_State *L, unsigned line, const char *field, lib_words what) {
    lab_state *s = lesson_of(L);
    lib_message m;
    lib_message_set(&m, what);
    if (field) line = lesson_line(s, line, field);
    lib_message_set(&s->why,
                    line ? w_lesson_at_line(s->name, line, &m) : w_lesson_in_file(s->name, &m));
    s->failed = true;
    lua_pushboolean(L, true); /* what is raised: a value that needs no memory */
    lua_error(L);
    abort(); /* lua_error() does not return */
}

/* Makes a message for people from a Lua error: without Lua's own chunk brackets, on one line. */
static void take_error(lab_state *s, lib_message *msg) {
    if (s->failed) {
        s->failed = false;
        if (msg) *msg = s->why;
        lua_settop(s->L, 0);
        return;
    }
    unsigned line;
    int said = 0;
    const char *text = lua_type(s->L, -1) == LUA_TSTRING ? lua_tostring(s->L, -1) : NULL;
    size_t n = strlen(s->name);
    bool named = text && !strncmp(text, s->name, n);
    if (!text) lib_message_set(msg, w_lesson_error_no_text(s->name));
    else if (!strcmp(text, "not enough memory"))
        lib_message_set(msg, w_lesson_too_much_memory(s->name, MEMORY_LIMIT >> 20));
    else if (named && sscanf(text + n, ":%u: %n", &line, &said) == 1 && said)
        lib_message_set(msg, w_lesson_lua_line(s->name, line, text + n + said));
    else
        lib_message_set(msg,
                        w_lesson_lua(s->name, named ? text + n + strspn(text + n, ": ") : text));
    lua_settop(s->L, 0);
}

/* ---- constructors ---- */

#define MEASURE "of case on entry args baseline " /* the fields that choose a run */
static const lesson_constructor lesson_constructors[] = {
    {"lab", FORM_TABLE, NULL,
     "id title chapter needs minutes source teaches entry args cases hidden goals steps hints "
     "after more forbid time_limit host_time device_memory warm draws host files program debug",
     "The lab; what the file returns."},
    {"course", FORM_TABLE, NULL, NULL,
     "A course's rules, in course.lua: attempts, deadlines, penalties."},
    {"exam", FORM_TABLE, NULL, NULL,
     "An exam: its minutes, its labs, and where its questions are drawn from."},
    {"pack", FORM_TABLE, NULL, "name title version needs order weights deadlines answers language",
     "A pack of labs, in pack.lua."},
    /* steps */
    {"say", FORM_TABLE, NULL, "en zh draw", "A text."},
    {"ask", FORM_TABLE, NULL,
     "en zh draw choices accept answer tolerance unit because replies order alone",
     "A question: choices, a number, or a text with its accepted forms."},
    {"predict", FORM_TABLE, NULL, MEASURE "en zh draw counter tolerance unit because replies",
     "A counter that the student foretells before it is measured."},
    {"show", FORM_TABLE, NULL,
     MEASURE "en zh draw picture counters beside model lanes rounds registers shared block",
     "A picture of what was measured."},
    {"exercise", FORM_TABLE, NULL, "en zh",
     "The file to be edited and graded; the lab's goals are said by it."},
    {"compare", FORM_TABLE, NULL, MEASURE "en zh draw counters beside",
     "Counters of two programs side by side."},
    {"measured", FORM_TABLE, NULL, MEASURE "counter",
     "An answer of ask: the counter that a run has, measured when it is asked."},
    /* arguments of the entry */
    {"uniform", FORM_ARGS, "lo hi count", NULL, "Real numbers in [lo, hi)."},
    {"integers", FORM_ARGS, "lo hi count ?least most", NULL,
     "Whole numbers from lo to hi, both included; in hidden cases some from least to most."},
    {"normal", FORM_ARGS, "lo hi count", NULL,
     "Normally distributed numbers of mean lo and deviation hi."},
    {"iota", FORM_ARGS, "count ?lo hi", NULL, "0, 1, 2 ..., or from lo in steps of hi."},
    {"zeros", FORM_ARGS, "count", NULL, "Zeros."},
    {"constant", FORM_ARGS, "lo count", NULL, "The same number everywhere."},
    {"skewed", FORM_ARGS, "lo hi count", NULL, "Whole numbers, few of which are very frequent."},
    {"sorted", FORM_ARGS, "lo hi count", NULL, "Ascending numbers."},
    {"csr_rows", FORM_ARGS, "lo hi count", NULL,
     "Row pointers of a sparse matrix with lo to hi entries a row."},
    {"csr_cols", FORM_ARGS, "lo hi count", NULL, "Column indices of a sparse matrix."},
    {"scalar", FORM_ARGS, "value", NULL,
     "A scalar that is not simply the case's parameter of its name."},
    {"output", FORM_ARGS, "count ?options", "ops row rtol atol pinned",
     "Written by the entry: poisoned before, compared after. Its fields are those of options."},
    {"inout", FORM_ARGS, "gen ?options", "ops row rtol atol pinned", "Read and written."},
    {"host", FORM_ARGS, "gen ?options", "ops row rtol atol pinned",
     "A host buffer instead of device memory."},
};
#undef MEASURE
enum { OWN_WORDS = sizeof lesson_constructors / sizeof lesson_constructors[0] };

bool lesson_constructor_at(size_t i, lesson_constructor *c) {
    grade_goal_kind kind;
    const goal_word *w = i < OWN_WORDS ? NULL : goal_word_at(i - OWN_WORDS, &kind);
    if (i < OWN_WORDS) *c = lesson_constructors[i];
    else if (w)
        *c = (lesson_constructor){w->name, w->fields ? FORM_CURRIED : FORM_TABLE, w->fields,
                                  w->named, w->doc};
    return i < OWN_WORDS || w;
}

const char *lesson_named(const char *constructor) {
    lesson_constructor c = {0};
    for (size_t i = 0; lesson_constructor_at(i, &c); i++)
        if (!strcmp(c.name, constructor)) return c.named;
    return NULL;
}

/* counter(...){ points = 3 }: the second call merges its table into the first one's. */
static int merge_call(lua_State *L) {
    unsigned line = caller_line(L);
    if (!lua_istable(L, 2))
        lesson_fail(L, line, NULL, w_lesson_goal_no_points(luaL_typename(L, 2)));
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, 1);
    }
    lua_settop(L, 1);
    return 1;
}

static int construct(lua_State *L) {
    lesson_constructor c = {0};
    lesson_constructor_at((size_t)lua_tointeger(L, lua_upvalueindex(1)), &c);
    unsigned line = caller_line(L);
    int given = lua_gettop(L);
    if (c.form == FORM_TABLE) {
        if (given != 1 || !lua_istable(L, 1))
            lesson_fail(L, line, NULL,
                        w_lesson_form_table(c.name, c.name, given ? luaL_typename(L, 1) : ""));
    } else {
        char names[MAX_FIELDS][16];
        int most = 0, least = -1;
        for (const char *p = c.fields; *p && most < MAX_FIELDS;) {
            size_t n = strcspn(p, " ");
            if (*p == '?') {
                least = most;
                p++, n--;
            }
            snprintf(names[most++], sizeof names[0], "%.*s", (int)n, p);
            p += n + (p[n] == ' ');
        }
        if (least < 0) least = most;
        if (given < least || given > most) {
            char want[96] = "";
            for (int i = 0; i < most; i++)
                snprintf(want + strlen(want), sizeof want - strlen(want), "%s%.15s", i ? ", " : "",
                         names[i]);
            lesson_fail(L, line, NULL, w_lesson_form_arguments(c.name, want, given));
        }
        lua_createtable(L, 0, most + 2);
        for (int i = 0; i < given; i++) {
            lua_pushvalue(L, i + 1);
            lua_setfield(L, -2, names[i]);
        }
        lua_replace(L, 1);
        lua_settop(L, 1);
    }
    lua_pushstring(L, c.name);
    lua_setfield(L, 1, "(kind)");
    lua_pushinteger(L, line);
    lua_setfield(L, 1, "(line)");
    if (c.form == FORM_CURRIED) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_setmetatable(L, 1);
    }
    return 1;
}

/* ---- the library ---- */

static int lib_ceil_div(lua_State *L) {
    double a = luaL_checknumber(L, 1), b = luaL_checknumber(L, 2);
    if (b == 0) lesson_fail(L, caller_line(L), NULL, w_lesson_ceil_div_zero());
    double q = ceil(a / b);
    lua_Integer whole;
    if (lua_numbertointeger(q, &whole)) lua_pushinteger(L, whole);
    else lua_pushnumber(L, q);
    return 1;
}

/* string.rep that checks the memory limit first: rep("", 1e18) would never reach the allocator. */
static int lib_rep(lua_State *L) {
    size_t n, between;
    luaL_checklstring(L, 1, &n);
    lua_Integer times = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    uint64_t most = 1 << 20, count = times > 0 ? (uint64_t)times : 0;
    if (count > most || (count && count * n + (count - 1) * between > most))
        lesson_fail(L, caller_line(L), NULL, w_lesson_rep_too_long());
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (uint64_t k = 0; k < count; k++) {
        if (k && between) {
            lua_pushvalue(L, 3);
            luaL_addvalue(&b);
        }
        lua_pushvalue(L, 1);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    return 1;
}

/* table.concat for one list of texts and numbers. Lua's own accepts bounds with which it loops for
 * ever. */
static int lib_concat(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t n = lua_rawlen(L, 1);
    const char *sep = luaL_optstring(L, 2, "");
    lua_settop(L, 2);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (size_t i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i);
        if (!lua_isstring(L, -1))
            lesson_fail(L, caller_line(L), NULL, w_lesson_concat_item(i, luaL_typename(L, -1)));
        luaL_addvalue(&b);
        if (i < n) luaL_addstring(&b, sep);
    }
    luaL_pushresult(&b);
    return 1;
}

/* table.insert only at the end. Shifting a long list is work during which the hook does not run. */
static int lib_insert(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_gettop(L) != 2) lesson_fail(L, caller_line(L), NULL, w_lesson_insert_appends());
    lua_Unsigned n = lua_rawlen(L, 1); /* the length of a sparse list may be anything */
    if (n >= LUA_MAXINTEGER) lesson_fail(L, caller_line(L), NULL, w_lesson_insert_full());
    lua_rawseti(L, 1, (lua_Integer)n + 1);
    return 0;
}

static void keep_only(lua_State *L, const char *global, lua_CFunction open,
                      const char *const *names) {
    luaL_requiref(L, global, open, 0);
    lua_newtable(L);
    for (; *names; names++) {
        lua_getfield(L, -2, *names);
        lua_setfield(L, -2, *names);
    }
    lua_pushvalue(L, -1);
    lua_setglobal(L, global);
    lua_remove(L, -2);
}

/* For string.match, ("x"):gsub(...) and others: the error names the missing function, instead of
 * calling nil. */
static int unknown_string(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    static const char *const patterns[] = {"find", "match", "gmatch", "gsub"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!strcmp(patterns[i], name))
            lesson_fail(L, caller_line(L), NULL, w_lesson_no_patterns(name));
    lesson_fail(L, caller_line(L), NULL, w_lesson_no_string_function(name));
}

static int unknown_global(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    static const char *const gone[] = {
        "io",     "os",         "debug",          "package",      "require",
        "load",   "loadstring", "dofile",         "loadfile",     "pcall",
        "xpcall", "coroutine",  "collectgarbage", "setmetatable", "getmetatable",
        "print"};
    unsigned line = caller_line(L);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (!strcmp(gone[i], name)) lesson_fail(L, line, NULL, w_lesson_name_not_available(name));
    const char *best = NULL;
    unsigned distance = 3;
    lesson_constructor c = {0};
    for (size_t i = 0; lesson_constructor_at(i, &c); i++) {
        unsigned d = lib_distance(name, c.name);
        if (d < distance) distance = d, best = c.name;
    }
    if (lib_distance(name, "same") < distance) best = "same";
    if (best) lesson_fail(L, line, NULL, w_lesson_unknown_name_near(name, best));
    lesson_fail(L, line, NULL, w_lesson_unknown_name(name));
}

/* 0.2 * baseline: a threshold relative to the baseline's value. */
static int times_baseline(lua_State *L) {
    int number = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2;
    if (lua_type(L, number) != LUA_TNUMBER)
        lesson_fail(L, caller_line(L), NULL,
                    w_lesson_no_baseline_factor(luaL_typename(L, 1), luaL_typename(L, 2)));
    lua_createtable(L, 0, 2);
    lua_pushliteral(L, "baseline");
    lua_setfield(L, -2, "(kind)");
    lua_pushvalue(L, number);
    lua_setfield(L, -2, "factor");
    return 1;
}

static void open_baseline(lua_State *L) {
    lua_createtable(L, 0, 2);
    lua_pushliteral(L, "baseline");
    lua_setfield(L, -2, "(kind)");
    lua_pushnumber(L, 1);
    lua_setfield(L, -2, "factor");
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, times_baseline);
    lua_setfield(L, -2, "__mul");
    lua_setmetatable(L, -2);
    lua_setglobal(L, "baseline");
}

static int open_library(lua_State *L) {
    static const char *const base[] = {"assert", "error",    "ipairs",   "next", "pairs",
                                       "select", "tonumber", "tostring", "type", NULL};
    static const char *const math[] = {"abs",  "ceil", "exp",       "floor",      "fmod",
                                       "huge", "log",  "max",       "maxinteger", "min",
                                       "pi",   "sqrt", "tointeger", "type",       NULL};
    static const char *const string[] = {"byte",    "char", "format", "len", "lower",
                                         "reverse", "sub",  "upper",  NULL};
    static const char *const table[] = {"unpack", NULL};

    lua_settop(L, 0);
    luaL_requiref(L, "_G", luaopen_base, 0);
    lua_newtable(L); /* the lesson's globals */
    for (const char *const *n = base; *n; n++) {
        lua_getfield(L, 1, *n);
        lua_setfield(L, 2, *n);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_settop(L, 0);
    keep_only(L, "math", luaopen_math, math);
    keep_only(L, "table", luaopen_table, table);
    lua_pushcfunction(L, lib_concat);
    lua_setfield(L, -2, "concat");
    lua_pushcfunction(L, lib_insert);
    lua_setfield(L, -2, "insert");
    keep_only(L, "string", luaopen_string, string);
    lua_pushcfunction(L, lib_rep);
    lua_setfield(L, -2, "rep");
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, unknown_string);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    /* ("x"):find(...) uses the metatable of strings, in which luaopen_string put its whole
     * library. */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_settop(L, 0);
    lua_pushcfunction(L, lib_ceil_div);
    lua_setglobal(L, "ceil_div");

    lua_createtable(L, 0, 1); /* the metatable of goals */
    lua_pushcfunction(L, merge_call);
    lua_setfield(L, -2, "__call");
    lesson_constructor c = {0};
    for (size_t i = 0; lesson_constructor_at(i, &c); i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushvalue(L, 1);
        lua_pushcclosure(L, construct, 2);
        lua_setglobal(L, c.name);
    }
    lua_createtable(L, 0, 1); /* `draw = same`: the draws of the step before */
    lua_pushliteral(L, "same");
    lua_setfield(L, -2, "(kind)");
    lua_setglobal(L, "same");
    open_baseline(L);
    lua_settop(L, 0);
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, unknown_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_settop(L, 0);
    return 0;
}

/* ---- running ---- */

bool lesson_lua_protected(lab_state *s, int (*fn)(lua_State *), void *user, lib_message *msg) {
    lua_settop(s->L, 0);
    lua_pushcfunction(s->L, fn); /* a light function and a light pointer need no memory */
    lua_pushlightuserdata(s->L, user);
    s->guarded = true;
    int rc = lua_pcall(s->L, 1, 0, 0);
    s->guarded = false;
    if (rc == LUA_OK) return true;
    take_error(s, msg);
    return false;
}

lab_state *lesson_state_new(const char *name, lib_message *msg) {
    lab_state *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->limit = MEMORY_LIMIT;
    s->table = LUA_NOREF;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->L = lua_newstate(limited_alloc, s);
    if (!s->L || !lesson_lua_protected(s, open_library, NULL, msg)) {
        if (!s->L) lib_message_set(msg, w_lesson_no_memory(name));
        lesson_state_free(s);
        return NULL;
    }
    lua_sethook(s->L, on_hook, LUA_MASKCOUNT, HOOK_EVERY);
    return s;
}

void lesson_state_free(lab_state *s) {
    if (!s) return;
    if (s->L) {
        lua_sethook(s->L, NULL, 0, 0);
        lua_close(s->L);
    }
    for (arena_block *b = s->arena, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(s);
}

typedef struct {
    const char *text;
    size_t n;
    const char *kind;
} run_args;

/* Returns what follows a comment or a text at p; p if there is none. */
static const char *skip_text(const char *p, const char *end) {
    const char *q = p;
    if (q + 1 < end && q[0] == '-' && q[1] == '-') q += 2;
    size_t level = 0;
    if (q < end && *q == '[') {
        while (q + 1 + level < end && q[1 + level] == '=') level++;
        if (q + 1 + level < end && q[1 + level] == '[') {
            for (q += 2 + level; q < end; q++) {
                size_t k = 0;
                if (*q != ']') continue;
                while (q + 1 + k < end && q[1 + k] == '=') k++;
                if (k == level && q + 1 + k < end && q[1 + k] == ']') return q + 2 + k;
            }
            return end;
        }
    }
    if (q > p) {
        while (q < end && *q != '\n') q++;
        return q;
    }
    if (*p != '"' && *p != '\'') return p;
    for (q++; q < end && *q != *p && *q != '\n'; q++)
        if (*q == '\\' && q + 1 < end) q++;
    return q < end && *q == *p ? q + 1 : q;
}

/* If braces do not match, Lua's message names the outermost one. Authors indent, so the line to
 * look at is one whose '{' is closed by a '}' further to the left. Returns 0 if there is none. */
static unsigned unclosed_line(const char *text, size_t n) {
    enum { DEEP = 200 };
    struct {
        unsigned line, indent;
    } open[DEEP];
    unsigned depth = 0, line = 1, indent = 0;
    bool blank = true; /* only blanks so far in this line */
    for (const char *p = text, *end = text + n; p < end;) {
        const char *past = skip_text(p, end);
        if (past > p) {
            for (; p < past; p++) line += *p == '\n';
            blank = false;
            continue;
        }
        if (*p == '\n') line++, indent = 0, blank = true;
        else if (blank && *p == ' ') indent++;
        else {
            if (*p == '{') {
                if (depth == DEEP) return 0;
                open[depth].line = line;
                open[depth++].indent = indent;
            } else if (*p == '}' && depth) {
                depth--;
                if (blank && indent < open[depth].indent) return open[depth].line;
            }
            blank = false;
        }
        p++;
    }
    return 0;
}

static int run_lesson(lua_State *L) {
    run_args *a = lua_touserdata(L, 1);
    lab_state *s = lesson_of(L);
    char chunk[100];
    snprintf(chunk, sizeof chunk, "@%s", s->name);
    if (luaL_loadbufferx(L, a->text, a->n, chunk, "t") != LUA_OK) {
        unsigned line =
            strstr(lua_tostring(L, -1), "'}' expected") ? unclosed_line(a->text, a->n) : 0;
        if (line) lesson_fail(L, line, NULL, w_lesson_brace_open(lua_tostring(L, -1)));
        return lua_error(L);
    }
    lua_call(L, 0, 1);
    bool is = false;
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "(kind)");
        is = lua_isstring(L, -1) && !strcmp(lua_tostring(L, -1), a->kind);
        lua_pop(L, 1);
    }
    if (!is) lesson_fail(L, 0, NULL, w_lesson_no_return(a->kind));
    s->table = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

bool lesson_lua_run(lab_state *s, const char *text, size_t n, const char *kind, lib_message *msg) {
    s->source = memcpy(lesson_alloc(s, n + 1), text, n);
    s->ticks = LOAD_TICKS;
    s->deadline = lib_worked() + SECONDS;
    run_args a = {text, n, kind};
    return lesson_lua_protected(s, run_lesson, &a, msg);
}

typedef struct {
    int ref, i, j;
    const lab_drawn *drawn;
    double number;
    grade_param *params;
    size_t max, count;
} call_args;

static void push_drawn(lua_State *L, const lab_drawn *d) {
    lua_createtable(L, 0, d ? (int)d->count : 0);
    for (size_t i = 0; d && i < d->count; i++) {
        lua_Integer whole;
        if (d->p[i].value == floor(d->p[i].value) && lua_numbertointeger(d->p[i].value, &whole))
            lua_pushinteger(L, whole);
        else lua_pushnumber(L, d->p[i].value);
        lua_setfield(L, -2, d->p[i].name);
    }
}

static int call_number(lua_State *L) {
    call_args *a = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->ref);
    int args = 0;
    /* Models take (lane) or (thread, round) and then the drawn numbers. Answers take only the drawn
     * numbers. */
    if (a->i >= 0) lua_pushinteger(L, a->i), args++;
    if (a->j >= 0) lua_pushinteger(L, a->j), args++;
    push_drawn(L, a->drawn);
    lua_call(L, args + 1, 1);
    if (lua_isboolean(L, -1)) a->number = lua_toboolean(L, -1);
    else if (lua_isnil(L, -1) && a->i >= 0) a->number = -1; /* a model: this lane is inactive */
    else if (lua_type(L, -1) == LUA_TNUMBER) a->number = lua_tonumber(L, -1);
    else lesson_fail(L, 0, NULL, w_lesson_function_no_number(luaL_typename(L, -1)));
    return 0;
}

bool lesson_lua_number(lab_state *s, int ref, const lab_drawn *d, int i, int j, double *out,
                       lib_message *msg) {
    call_args a = {.ref = ref, .i = i, .j = j, .drawn = d};
    s->ticks = CALL_TICKS;
    s->deadline = lib_worked() + SECONDS;
    if (!lesson_lua_protected(s, call_number, &a, msg)) return false;
    *out = a.number;
    if (isfinite(a.number)) return true;
    lib_message_set(msg, w_lesson_number_not_finite(s->name));
    return false;
}

static int call_by_name(const void *a, const void *b) {
    return strcmp(((const grade_param *)a)->name, ((const grade_param *)b)->name);
}
/* Sorts what it reads, because Lua's order differs between runs. */
static int call_params(lua_State *L) {
    call_args *a = lua_touserdata(L, 1);
    lab_state *s = lesson_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->ref);
    if (lua_isfunction(L, -1)) {
        push_drawn(L, a->drawn);
        lua_call(L, 1, 1);
    }
    if (!lua_istable(L, -1))
        lesson_fail(L, 0, NULL, w_lesson_case_no_numbers(luaL_typename(L, -1)));
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TNUMBER)
            lesson_fail(L, 0, NULL,
                        w_lesson_case_entry(luaL_typename(L, -2), luaL_typename(L, -1)));
        if (a->count == a->max) lesson_fail(L, 0, NULL, w_lesson_case_most(a->max));
        a->params[a->count++] =
            (grade_param){lesson_strdup(s, lua_tostring(L, -2)), lua_tonumber(L, -1)};
        lua_pop(L, 1);
    }
    qsort(a->params, a->count, sizeof *a->params, call_by_name);
    return 0;
}

bool lesson_lua_params(lab_state *s, int ref, const lab_drawn *d, grade_param *out, size_t max,
                       size_t *n, lib_message *msg) {
    call_args a = {.ref = ref, .drawn = d, .params = out, .max = max};
    s->ticks = CALL_TICKS;
    s->deadline = lib_worked() + SECONDS;
    if (!lesson_lua_protected(s, call_params, &a, msg)) return false;
    *n = a.count;
    return true;
}
