/* Reads the part of a lesson for the grader: arguments, cases, ranges of hidden cases, goals. See
 * lua_lab.c. */
#include "runner/lesson/lua_grade.h"
#include "grader/figure.h"
#include "grader/lab.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/term/text.h"
#include "grader/goal/goal.h"
#include "words/lesson.h"

/* ---- arguments ---- */

static bool type_of(const char *name, grade_type *t) {
    static const struct {
        const char *name;
        grade_type t;
    } types[] = {{"float", GRADE_F32},
                 {"double", GRADE_F64},
                 {"int", GRADE_I32},
                 {"unsigned", GRADE_U32},
                 {"unsigned int", GRADE_U32},
                 {"size_t", GRADE_U64},
                 {"long long", GRADE_I64},
                 {"long", GRADE_I64},
                 {"unsigned long long", GRADE_U64},
                 {"unsigned long", GRADE_U64},
                 {"int8_t", GRADE_I8},
                 {"uint8_t", GRADE_U8},
                 {"int16_t", GRADE_I16},
                 {"uint16_t", GRADE_U16},
                 {"int32_t", GRADE_I32},
                 {"uint32_t", GRADE_U32},
                 {"int64_t", GRADE_I64},
                 {"uint64_t", GRADE_U64},
                 {"char", GRADE_I8},
                 {"signed char", GRADE_I8},
                 {"unsigned char", GRADE_U8},
                 {"short", GRADE_I16},
                 {"unsigned short", GRADE_U16},
                 {"half", GRADE_F16},
                 {"__half", GRADE_F16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i].name, name)) {
            *t = types[i].t;
            return true;
        }
    return false;
}

static const struct {
    const char *name;
    grade_gen gen;
} generators[] = {{"uniform", GRADE_GEN_UNIFORM},   {"integers", GRADE_GEN_INTEGERS},
                  {"normal", GRADE_GEN_NORMAL},     {"iota", GRADE_GEN_IOTA},
                  {"zeros", GRADE_GEN_ZERO},        {"constant", GRADE_GEN_CONSTANT},
                  {"skewed", GRADE_GEN_SKEWED},     {"sorted", GRADE_GEN_SORTED},
                  {"csr_rows", GRADE_GEN_CSR_ROWS}, {"csr_cols", GRADE_GEN_CSR_COLS}};

/* Reads a bound (lo or hi), a number or an expression of the case. */
static void read_bound(lua_State *L, reader *r, int t, const char *arg, const char *name,
                       double *value, grade_expr **expr) {
    int type = read_push_field(L, t, name);
    if (type == LUA_TNUMBER) *value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (type != LUA_TNUMBER && type != LUA_TNIL) *expr = read_expr_field(L, r, t, arg, name, true);
}

static bool read_generator(lua_State *L, reader *r, int t, grade_arg *a) {
    const char *kind = read_kind_of(L, t);
    for (size_t i = 0; i < sizeof generators / sizeof generators[0]; i++) {
        if (strcmp(generators[i].name, kind) != 0) continue;
        a->gen = generators[i].gen;
        a->lo = 0;
        a->hi = 1;
        a->count = read_expr_field(L, r, t, a->name, "count", true);
        read_bound(L, r, t, a->name, "lo", &a->lo, &a->lo_expr);
        read_bound(L, r, t, a->name, "hi", &a->hi, &a->hi_expr);
        if (a->gen == GRADE_GEN_INTEGERS) {
            a->least = read_number_field(L, r, t, "least", 0, false);
            a->most = read_number_field(L, r, t, "most", 0, false);
        }
        return true;
    }
    return false;
}

static void read_options(lua_State *L, reader *r, int t, grade_arg *a) {
    int type = read_push_field(L, t, "options");
    if (type == LUA_TTABLE) {
        int o = lua_gettop(L);
        const char *what = r->what;
        r->what = a->name;
        read_only(L, r, o, lesson_named("output"));
        a->ops = read_expr_field(L, r, o, a->name, "ops", false);
        a->row = read_expr_field(L, r, o, a->name, "row", false);
        a->rtol = read_number_field(L, r, o, "rtol", -1, false);
        a->atol = read_number_field(L, r, o, "atol", -1, false);
        a->pinned |= read_flag_field(L, r, o, "pinned");
        r->what = what;
    } else if (type != LUA_TNIL) {
        lesson_fail(L, r->line, a->name, w_lesson_args_no_options(a->name, luaL_typename(L, -1)));
    }
    lua_pop(L, 1);
}

static void read_buffer(lua_State *L, reader *r, int t, const build_entry_param *p, grade_arg *a) {
    const char *kind = read_kind_of(L, t);
    if (!strcmp(kind, "host")) {
        a->host = true;
        read_options(L, r, t, a);
        read_push_field(L, t, "gen");
        read_buffer(L, r, lua_gettop(L), p, a);
        lua_pop(L, 1);
        return;
    }
    if (!strcmp(kind, "output")) {
        a->role = GRADE_OUTPUT;
        a->count = read_expr_field(L, r, t, a->name, "count", true);
        read_options(L, r, t, a);
    } else if (!strcmp(kind, "inout")) {
        a->role = GRADE_INOUT;
        read_push_field(L, t, "gen");
        if (!read_generator(L, r, lua_gettop(L), a))
            lesson_fail(L, r->line, a->name, w_lesson_args_no_inout(a->name));
        lua_pop(L, 1);
        read_options(L, r, t, a);
    } else if (read_generator(L, r, t, a)) {
        a->role = GRADE_INPUT;
    } else {
        lesson_fail(L, r->line, a->name,
                    w_lesson_args_no_generator(a->name, kind[0] ? kind : luaL_typename(L, t)));
    }
    if (p->is_const && a->role != GRADE_INPUT)
        lesson_fail(L, r->line, a->name, w_lesson_args_const_output(a->name, p->type, a->name));
    if (!p->is_const && a->role == GRADE_INPUT)
        lesson_fail(L, r->line, a->name, w_lesson_args_input_written(a->name, p->type, a->name));
}

/* Sets the length of buffer number `which` of a program, from its generator or output. */
static void read_length(lua_State *L, reader *r, int a, const build_entry *given, size_t which,
                        grade_arg *arg) {
    size_t i = 0;
    while (!given->params[i].pointer || which--) i++;
    read_push_field(L, a, given->params[i].name);
    arg->role = GRADE_SCALAR;
    arg->value = read_expr_field(L, r, lua_gettop(L), given->params[i].name, "count", true);
    lua_pop(L, 1);
}

/* Checks that the names of the table at `a` are parameters of the entry. */
static void check_arg_names(lua_State *L, const reader *r, int a, const build_entry *entry,
                            size_t count) {
    lua_pushnil(L);
    while (lua_next(L, a)) {
        lua_pop(L, 1);
        const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
        bool known = false;
        char all[256] = "";
        for (size_t i = 0; i < count; i++) {
            known |= key && !strcmp(entry->params[i].name, key);
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
                     entry->params[i].name);
        }
        if (!known)
            lesson_fail(L, r->line, key ? key : "args",
                        w_lesson_args_no_parameter(key ? key : "?", all));
    }
}

/* Reads a parameter as args.NAME describes it. */
static void read_arg(lua_State *L, reader *r, int a, const grade_lab *g, build_entry_param *p,
                     grade_arg *arg) {
    lib_message m = {0};
    int type = read_push_field(L, a, p->name);
    unsigned line = r->line;
    if (type == LUA_TTABLE) r->line = read_line_of(L, lua_gettop(L), line);
    if (p->pointer) {
        if (type == LUA_TNIL) lesson_fail(L, r->line, "args", w_lesson_args_missing(p->name));
        if (type != LUA_TTABLE)
            lesson_fail(L, r->line, p->name,
                        w_lesson_args_no_buffer(p->name, luaL_typename(L, -1)));
        read_buffer(L, r, lua_gettop(L), p, arg);
        if (g->whole_program && (arg->host || arg->role == GRADE_INOUT))
            lesson_fail(L, r->line, p->name, w_lesson_args_program_buffer(p->name));
        arg->host |= g->whole_program;
    } else {
        arg->role = GRADE_SCALAR;
        if (type == LUA_TNIL) {
            arg->value = grade_expr_new(p->name, &m);
            if (!arg->value) lesson_fail(L, r->line, "args", w_lesson_args_why(p->name, &m));
        } else if (type == LUA_TTABLE && !strcmp(read_kind_of(L, lua_gettop(L)), "scalar")) {
            arg->value = read_expr_field(L, r, lua_gettop(L), p->name, "value", true);
        } else {
            lesson_fail(L, r->line, p->name, w_lesson_args_no_scalar(p->name, p->name));
        }
    }
    r->line = line;
    lua_pop(L, 1);
}

void read_args(lua_State *L, reader *r, int t, grade_lab *g) {
    lib_message m = {0};
    /* In the arena: the entry is big, and the Lua error below would jump past a free(). */
    build_entry *entry = lesson_alloc(r->s, sizeof *entry);
    build_entry given;
    if (!(g->whole_program ? build_program_parse : build_entry_parse)(g->entry_text, entry, &m) ||
        !build_entry_parse(g->entry_text, &given, &m))
        lesson_fail(L, r->line, "entry", w_lesson_entry_why(&m));
    g->entry = entry->name;
    int kind = read_push_field(L, t, "args");
    bool buffers = false;
    for (size_t i = 0; i < given.count; i++) buffers |= given.params[i].pointer;
    if (kind == LUA_TNIL && !buffers) {
        lua_newtable(L); /* only scalars of the case */
        lua_replace(L, -2);
    } else if (kind != LUA_TTABLE)
        lesson_fail(L, r->line, "args", w_lesson_args_no_table(r->what, luaL_typename(L, -1)));
    int a = lua_gettop(L);
    check_arg_names(L, r, a, entry, given.count);
    grade_arg *args = lesson_alloc(r->s, (entry->count + 1) * sizeof *args);
    g->args = args;
    for (size_t i = 0; i < entry->count; i++) {
        build_entry_param *p = &entry->params[i];
        grade_arg *arg = &args[i];
        arg->name = p->name;
        arg->rtol = arg->atol = -1;
        /* at once, so that lab_free() finds its expressions */
        g->arg_count = i + 1;
        if (!type_of(p->type, &arg->type))
            lesson_fail(L, r->line, "entry", w_lesson_entry_type(p->type));
        if (i >= given.count) {
            read_length(L, r, a, &given, i - given.count, arg);
            continue;
        }
        read_arg(L, r, a, g, p, arg);
    }
    lua_settop(L, a - 1);
}

/* ---- cases and goals ---- */

/* Returns the name of the item that lua_next() pushed. */
static const char *param_key(lua_State *L, reader *r, const char *example) {
    if (lua_type(L, -2) == LUA_TSTRING) return lua_tostring(L, -2);
    lesson_fail(L, r->line, r->what, w_lesson_item_unnamed(r->what, example));
}

static int param_by_name(const void *a, const void *b) {
    return strcmp(((const grade_param *)a)->name, ((const grade_param *)b)->name);
}
/* Reads the name = number pairs of the table at t, without the name `skip`. Sorts them, because
 * Lua's order differs between runs. */
static size_t read_params(lua_State *L, reader *r, int t, const char *skip,
                          const grade_param **out) {
    size_t n = 0, max = 16;
    grade_param *p = lesson_alloc(r->s, max * sizeof *p);
    lua_pushnil(L);
    while (lua_next(L, t)) {
        const char *key = param_key(L, r, "{ n = 1000 }");
        if (strcmp(key, skip) != 0) {
            if (lua_type(L, -1) != LUA_TNUMBER)
                lesson_fail(L, r->line, r->what,
                            w_lesson_parameter_no_number(r->what, key, luaL_typename(L, -1)));
            if (n == max)
                lesson_fail(L, r->line, r->what, w_lesson_too_many_parameters(r->what, max));
            p[n++] = (grade_param){lesson_strdup(r->s, key), lua_tonumber(L, -1)};
        }
        lua_pop(L, 1);
    }
    qsort(p, n, sizeof *p, param_by_name);
    *out = p;
    return n;
}

static const grade_param *param_of(const grade_case *c, const char *name) {
    for (size_t i = 0; i < c->param_count; i++)
        if (!strcmp(c->params[i].name, name)) return &c->params[i];
    return NULL;
}

/* Each case must name the parameters of the timed case. Otherwise an expression would fail for want
 * of a parameter, and its message would not name the line of the misspelt one. */
static void check_params(lua_State *L, const reader *r, const grade_case *c, size_t n) {
    const grade_case *timed = c;
    while (!timed->timed) timed++;
    unsigned line = lesson_line(r->s, r->line, "cases");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < c[i].param_count; k++)
            if (!param_of(timed, c[i].params[k].name))
                lesson_fail(L, line, c[i].params[k].name,
                            w_lesson_case_parameter_extra(i + 1, c[i].params[k].name));
        for (size_t k = 0; k < timed->param_count; k++)
            if (!param_of(&c[i], timed->params[k].name))
                lesson_fail(L, line, NULL,
                            w_lesson_case_parameter_missing(i + 1, timed->params[k].name));
    }
}

void read_cases(lua_State *L, reader *r, int t) {
    grade_lab *g = &r->l->grade;
    if (read_push_field(L, t, "cases") != LUA_TTABLE || !lua_rawlen(L, -1))
        lesson_fail(L, r->line, "cases", w_lesson_cases_no_list());
    int list = lua_gettop(L);
    size_t n = read_count(L, r, list, "cases"), timed = 0;
    grade_case *c = lesson_alloc(r->s, n * sizeof *c);
    r->what = "cases";
    for (size_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != LUA_TTABLE)
            lesson_fail(L, r->line, "cases", w_lesson_case_no_table(i + 1, luaL_typename(L, -1)));
        c[i].timed = read_flag_field(L, r, lua_gettop(L), "timed");
        timed += c[i].timed;
        c[i].param_count = read_params(L, r, lua_gettop(L), "timed", &c[i].params);
        lua_pop(L, 1);
    }
    if (timed != 1) lesson_fail(L, r->line, "cases", w_lesson_cases_timed(timed));
    check_params(L, r, c, n);
    g->cases = c;
    g->case_count = n;
    lua_pop(L, 1);
}

static int range_by_name(const void *a, const void *b) {
    return strcmp(((const grade_range *)a)->name, ((const grade_range *)b)->name);
}

/* Reads the values of `from`, a table on the top of the stack. */
static void read_range_values(lua_State *L, reader *r, const char *name, grade_range *range) {
    int list = lua_gettop(L);
    size_t n = read_count(L, r, list, "hidden");
    double *from = lesson_alloc(r->s, (n + 1) * sizeof *from);
    for (size_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != LUA_TNUMBER)
            lesson_fail(L, r->line, "hidden", w_lesson_hidden_from(name));
        from[i] = lua_tonumber(L, -1);
        range->lo = i ? fmin(range->lo, from[i]) : from[i];
        range->hi = i ? fmax(range->hi, from[i]) : from[i];
        lua_pop(L, 1);
    }
    if (!n) lesson_fail(L, r->line, "hidden", w_lesson_hidden_from(name));
    range->from = from;
    range->from_count = n;
}

/* Reads { lo, hi, multiple = m, most = l } or { from = { a, b, c } }, the table on the top of the
 * stack. */
static grade_range read_range(lua_State *L, reader *r, const char *name) {
    grade_range range = {.name = lesson_strdup(r->s, name), .multiple = 1};
    int e = lua_gettop(L);
    if (read_push_field(L, e, "from") == LUA_TTABLE) read_range_values(L, r, name, &range);
    else {
        bool ok = lua_rawgeti(L, e, 1) == LUA_TNUMBER && lua_rawgeti(L, e, 2) == LUA_TNUMBER;
        if (!ok || lua_tonumber(L, -2) > lua_tonumber(L, -1))
            lesson_fail(L, r->line, "hidden", w_lesson_hidden_range_order(name));
        range.lo = lua_tonumber(L, -2);
        range.hi = lua_tonumber(L, -1);
        range.multiple = read_number_field(L, r, e, "multiple", 1, false);
        range.most = read_number_field(L, r, e, "most", 0, false);
        if (range.most && range.most < range.hi)
            lesson_fail(L, r->line, "most", w_lesson_hidden_range_order(name));
    }
    lua_settop(L, e);
    return range;
}

void read_hidden(lua_State *L, reader *r, int t) {
    grade_lab *g = &r->l->grade;
    int type = read_push_field(L, t, "hidden");
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (type != LUA_TTABLE)
        lesson_fail(L, r->line, "hidden", w_lesson_hidden_no_table(luaL_typename(L, -1)));
    int h = lua_gettop(L);
    r->what = "hidden";
    int count = read_int_field(L, r, h, "count", 3, false);
    if (count < 0) lesson_fail(L, r->line, "count", w_lesson_hidden_count(count));
    g->hidden_cases = (unsigned)count;
    size_t n = 0, max = 16;
    grade_range *p = lesson_alloc(r->s, max * sizeof *p);
    lua_pushnil(L);
    while (lua_next(L, h)) {
        const char *key = param_key(L, r, "n = { lo, hi }");
        if (!strcmp(key, "near") && lua_isboolean(L, -1)) g->near_none = !lua_toboolean(L, -1);
        else if (strcmp(key, "count") != 0) {
            if (!lua_istable(L, -1))
                lesson_fail(L, r->line, "hidden",
                            w_lesson_hidden_no_range(key, luaL_typename(L, -1)));
            if (n == max) lesson_fail(L, r->line, "hidden", w_lesson_hidden_ranges(max));
            p[n++] = read_range(L, r, key);
        }
        lua_pop(L, 1);
    }
    qsort(p, n, sizeof *p, range_by_name);
    g->ranges = p;
    g->range_count = n;
    lua_pop(L, 1);
}

void read_check_metric(lua_State *L, reader *r, const char *name) {
    if (grade_metric_known(name)) return;
    const char *best = NULL;
    unsigned distance = 99;
    for (size_t i = 0; i < sim_counter_count() + grade_metric_count(); i++) {
        const char *n = i < sim_counter_count() ? sim_counter_at(i)->name
                                                : grade_metric_at(i - sim_counter_count())->name;
        unsigned d = lib_distance(n, name);
        if (d < distance) distance = d, best = n;
    }
    lesson_fail(L, r->line, NULL, w_lesson_no_counter(r->what, name, best ? best : ""));
}

/* ---- goals ---- */

/* The goal `slowest` of a lab that does not set it. Honest programs take up to 4.3 times their
 * baseline's time (tests/grade/honest: a reduction by the last block or in two launches). */
static const double USUAL_SLOWEST = 6;

/* A lesson's table, as the kinds of goals read it (grader/goal/goal.h). */
typedef struct {
    goal_source source; /* must be first */
    lua_State *L;
    reader *r;
    int at;
} lua_goal;

static double field_number(goal_source *s, const char *field, double otherwise, bool required) {
    lua_goal *t = (lua_goal *)s;
    return read_number_field(t->L, t->r, t->at, field, otherwise, required);
}

static double field_times(goal_source *s, const char *field, bool *relative) {
    lua_goal *t = (lua_goal *)s;
    lua_State *L = t->L;
    read_push_field(L, t->at, field);
    *relative = !strcmp(read_kind_of(L, lua_gettop(L)), "baseline");
    if (!*relative && lua_type(L, -1) != LUA_TNUMBER)
        lesson_fail(L, t->r->line, NULL, w_lesson_goal_no_number(s->word, luaL_typename(L, -1)));
    double v = *relative ? read_number_field(L, t->r, lua_gettop(L), "factor", 1, true)
                         : lua_tonumber(L, -1);
    lua_pop(L, 1);
    return v;
}

static const char *field_text(goal_source *s, const char *field, bool required) {
    lua_goal *t = (lua_goal *)s;
    return read_string_field(t->L, t->r, t->at, field, required);
}

static bool field_flag(goal_source *s, const char *field) {
    lua_goal *t = (lua_goal *)s;
    return read_flag_field(t->L, t->r, t->at, field);
}

static size_t field_texts(goal_source *s, const char *field, const char *const **out) {
    lua_goal *t = (lua_goal *)s;
    return read_strings_field(t->L, t->r, t->at, field, out);
}

/* Each access is "TEXT" or { "TEXT", load = true }. TEXT occurs in one line of the program. */
static size_t field_accesses(goal_source *s, const char *field, const grade_access **out) {
    lua_goal *t = (lua_goal *)s;
    lua_State *L = t->L;
    reader *r = t->r;
    read_push_field(L, t->at, field);
    int list = lua_gettop(L);
    size_t n = read_count(L, r, list, "accesses");
    if (n < 1 || n > GRADE_ACCESSES)
        lesson_fail(L, r->line, "accesses", w_lesson_accesses_no_list(GRADE_ACCESSES));
    grade_access *a = lesson_alloc(r->s, n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        bool table = lua_rawgeti(L, list, (lua_Integer)i + 1) == LUA_TTABLE;
        int e = lua_gettop(L);
        if (table) {
            read_only(L, r, e, "[] load store");
            a[i].load = read_flag_field(L, r, e, "load");
            a[i].store = read_flag_field(L, r, e, "store");
            lua_rawgeti(L, e, 1);
        }
        if (lua_type(L, -1) != LUA_TSTRING || !lua_tostring(L, -1)[0])
            lesson_fail(L, r->line, "accesses", w_lesson_access_no_text(i + 1));
        a[i].text = lesson_strdup(r->s, lua_tostring(L, -1));
        if (!a[i].load && !a[i].store) a[i].load = a[i].store = true;
        lua_settop(L, list);
    }
    *out = a;
    lua_pop(L, 1);
    return n;
}

static void field_counter(goal_source *s, const char *name) {
    lua_goal *t = (lua_goal *)s;
    read_check_metric(t->L, t->r, name);
}

static void *field_alloc(goal_source *s, size_t n) {
    return lesson_alloc(((lua_goal *)s)->r->s, n);
}

__attribute__((noreturn)) static void field_fail(goal_source *s, const char *field, lib_words why) {
    lua_goal *t = (lua_goal *)s;
    char text[600];
    lib_words_text(text, sizeof text, LIB_EN, why);
    lesson_fail(t->L, t->r->line, field, lib_words_plain((lib_texts){{text, text}}));
}

/* Lists the words of goals, one per line. */
static void goal_words(char *all, size_t n) {
    grade_goal_kind kind;
    all[0] = 0;
    for (size_t i = 0; goal_word_at(i, &kind); i++)
        lib_say(all + strlen(all), n - strlen(all), "%s%s", i ? "\n" : "",
                goal_word_at(i, &kind)->name);
}

static const goal_word *find_word(const char *name, grade_goal_kind *kind) {
    const goal_word *w;
    for (size_t i = 0; (w = goal_word_at(i, kind)); i++)
        if (!strcmp(w->name, name)) return w;
    return NULL;
}

static void read_goal(lua_State *L, reader *r, int o, size_t i, grade_goal *goal) {
    lua_goal t = {{.number = field_number,
                   .times = field_times,
                   .text = field_text,
                   .flag = field_flag,
                   .texts = field_texts,
                   .accesses = field_accesses,
                   .counter = field_counter,
                   .alloc = field_alloc,
                   .fail = field_fail},
                  L,
                  r,
                  o};
    grade_goal_kind kind;
    const goal_word *w = find_word(read_kind_of(L, o), &kind);
    char words[200];
    if (!w) {
        goal_words(words, sizeof words);
        lesson_fail(L, r->line, "goals", w_lesson_goal_unknown(i + 1, words));
    }
    t.source.word = r->what = w->name;
    read_only(L, r, o, w->named);
    grade_goal_read(&t.source, kind, goal);
    lib_message why;
    if (!grade_goal_check(goal, &why))
        lesson_fail(L, r->line, NULL, w_lesson_goal_why(w->name, &why));
    bool rule = grade_goal_rule(goal);
    goal->points = read_number_field(L, r, o, "points", 0, !rule);
    if (goal->points < 0 || goal->points > 1000)
        lesson_fail(L, r->line, "points", w_lesson_goal_points(w->name));
    if (rule || read_field_text(L, o, "en") || read_field_text(L, o, "zh")) {
        lab_text advice;
        read_text_pair(L, r, o, "(advice)", &advice);
        for (int l = 0; l < LIB_LANGS; l++) goal->message[l] = advice.text[l];
    }
}

void read_goals(lua_State *L, reader *r, int t) {
    grade_lab *g = &r->l->grade;
    if (read_push_field(L, t, "goals") != LUA_TTABLE || !lua_rawlen(L, -1))
        lesson_fail(L, r->line, "goals", w_lesson_goals_no_list());
    int list = lua_gettop(L);
    size_t listed = read_count(L, r, list, "goals"), n = 0, answers = 0;
    grade_goal *goals = lesson_alloc(r->s, listed * sizeof *goals);
    unsigned outer = r->line;
    g->slowest = (grade_goal){.kind = GRADE_GOAL_SLOWEST, .threshold = USUAL_SLOWEST};
    for (size_t i = 0; i < listed; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        int o = lua_gettop(L);
        if (lua_istable(L, o)) r->line = read_line_of(L, o, outer);
        grade_goal *goal = &goals[n];
        *goal = (grade_goal){0};
        read_goal(L, r, o, i, goal);
        answers += grade_goal_quiz(goal);
        for (size_t k = 0; goal->said && k < n; k++)
            if (goals[k].said && !strcmp(goals[k].name, goal->name))
                lesson_fail(L, r->line, NULL, w_lesson_answer_twice(goal->name));
        if (grade_goal_rule(goal)) g->slowest = *goal;
        else n++;
        r->line = outer;
        lua_pop(L, 1);
    }
    r->what = "lab";
    if (answers > 1 || (answers && n > 1))
        lesson_fail(L, r->line, "goals", w_lesson_quiz_goal_alone());
    r->l->quiz = answers == 1;
    g->goals = goals;
    g->goal_count = n;
    lua_pop(L, 1);
}

/* device_memory = 4 << 20 or "4 MB": the memory of the simulated device. */
void read_device_memory(lua_State *L, reader *r, int t) {
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}};
    int type = read_push_field(L, t, "device_memory");
    double n = 0;
    if (type == LUA_TNUMBER) {
        n = lua_tonumber(L, -1);
    } else if (type == LUA_TSTRING) {
        char *end;
        n = strtod(lua_tostring(L, -1), &end);
        while (*end == ' ') end++;
        size_t i = 0;
        while (i < 3 && strcmp(end, units[i].name) != 0) i++;
        n = i < 3 ? n * units[i].bytes : -1;
    } else if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (!(n >= 1 << 20) || n > 1ull << 40)
        lesson_fail(L, r->line, "device_memory", w_lesson_device_memory());
    r->l->grade.device_memory = (uint64_t)n;
    lua_pop(L, 1);
}

void read_host(lua_State *L, reader *r, int t) {
    const char *word = read_string_field(L, r, t, "host", false);
    const char *names[GRADE_HOST_ANYTHING + 1];
    for (int i = 0; i <= GRADE_HOST_ANYTHING; i++) {
        names[i] = grade_host_work_name((grade_host_work)i);
        if (!word || strcmp(word, names[i]) != 0) continue;
        r->l->grade.host_work = (grade_host_work)i;
        return;
    }
    if (!word) return;
    const char *near = lib_nearest(word, names, sizeof names / sizeof *names);
    if (near) lesson_fail(L, r->line, "host", w_lesson_host_near(word, near));
    lesson_fail(L, r->line, "host", w_lesson_host_unknown(word));
}
