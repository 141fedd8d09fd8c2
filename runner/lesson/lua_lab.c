/* Turns the table that a lesson returned into struct lab.
 *
 *   lab{...} --read_lab, here--------------> id, title, entry, what it teaches, ...
 *            --read_args ... (lua_grade.c)--> arguments, cases, hidden, goals: grade_lab
 *            --read_steps (lua_steps.c)-----> steps and hints: lab_step
 *
 * Raises Lua errors through lesson_fail(). All memory is the arena's; expressions are put into the
 * lab at once, so that lab_free() finds them. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/lesson/lua_fields.h"
#include "runner/lesson/lua_grade.h"
#include "runner/lesson/lua_lesson.h"
#include "runner/lesson/lua_steps.h"
#include "grader/goal/goal.h"
#include "words/lesson.h"

/* ---- what it teaches ---- */

/* Returns whether the lesson has such a part. */
static bool has_part(const lab *l, const char *word, size_t n) {
    static const char *const always[] = {"goals", "hints", "after", "more", "traps", "skeleton"};
    for (size_t i = 0; i < sizeof always / sizeof *always - (l->quiz ? 2 : 0); i++)
        if (strlen(always[i]) == n && !strncmp(always[i], word, n)) return true;
    for (size_t i = 0; i < l->step_count; i++) {
        const char *kind = lab_step_name[l->steps[i].kind];
        if (strlen(kind) == n && !strncmp(kind, word, n)) return true;
    }
    return false;
}

static int taught_by_fact(const void *a, const void *b) {
    return strcmp(((const lab_taught *)a)->fact, ((const lab_taught *)b)->fact);
}

/* `teaches = { "boundary-check" }` on a step: adds the step's kind to the places where the fact is
 * taught. */
static size_t teach_by_step(lua_State *L, reader *r, lab_taught *taught, size_t n, size_t most,
                            const lab_step *s, const char *fact) {
    const char *kind = lab_step_name[s->kind];
    size_t i = 0, len = strlen(kind);
    while (i < n && strcmp(taught[i].fact, fact) != 0) i++;
    if (i == most) lesson_fail(L, s->line, "teaches", w_lesson_teaches_most(kind, most));
    if (i == n) {
        taught[i] = (lab_taught){fact, kind};
        return n + 1;
    }
    for (const char *p = taught[i].where; *p;) {
        size_t word = strcspn(p, " ");
        if (word == len && !strncmp(p, kind, len)) return n;
        p += word + (p[word] == ' ');
    }
    size_t size = strlen(taught[i].where) + len + 2;
    char *where = lesson_alloc(r->s, size);
    snprintf(where, size, "%s %s", taught[i].where, kind);
    taught[i].where = where;
    return n;
}

/* teaches = { ["boundary-check"] = "ask exercise" }; lab.c checks that the facts exist. */
static void read_teaches(lua_State *L, reader *r, int t) {
    int type = read_push_field(L, t, "teaches");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        lesson_fail(L, r->line, "teaches", w_lesson_teaches_no_table(luaL_typename(L, -1)));
    int list = lua_gettop(L);
    size_t n = 0;
    enum { MOST = 32 };
    lab_taught *taught = lesson_alloc(r->s, MOST * sizeof *taught);
    if (type == LUA_TTABLE) lua_pushnil(L);
    while (type == LUA_TTABLE && lua_next(L, list)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING || n == MOST)
            lesson_fail(L, r->line, "teaches", w_lesson_teaches_too_many(MOST));
        lab_taught *one = &taught[n++];
        one->fact = lesson_strdup(r->s, lua_tostring(L, -2));
        one->where = lesson_strdup(r->s, lua_tostring(L, -1));
        for (const char *p = one->where; *p;) {
            size_t len = strcspn(p, " ");
            if (!has_part(r->l, p, len))
                lesson_fail(L, r->line, "teaches",
                            w_lesson_teaches_no_part(one->fact, lua_pushlstring(L, p, len)));
            p += len;
            p += *p == ' ';
        }
        if (!*one->where) lesson_fail(L, r->line, "teaches", w_lesson_teaches_nowhere(one->fact));
        lua_pop(L, 1);
    }
    for (size_t i = 0; i < r->l->step_count; i++)
        for (size_t k = 0; k < r->l->steps[i].teach_count; k++)
            n = teach_by_step(L, r, taught, n, MOST, &r->l->steps[i], r->l->steps[i].teaches[k]);
    qsort(taught, n, sizeof *taught, taught_by_fact);
    r->l->taught = taught;
    r->l->taught_count = n;
    lua_pop(L, 1);
}

/* ---- the lab ---- */

/* Rejects fields that make sense only with an entry. */
static void no_entry(lua_State *L, reader *r, int t) {
    static const char *const fields[] = {"args", "cases", "hidden"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (read_push_field(L, t, fields[i]) != LUA_TNIL)
            lesson_fail(L, r->line, fields[i], w_lesson_needs_entry(fields[i]));
        lua_pop(L, 1);
    }
}

/* Without the field, libraries are forbidden that would do the exercise. `forbid = {}` allows
 * them. */
static void read_forbid(lua_State *L, reader *r, int t, grade_lab *g) {
    static const char *const usual[] = {"thrust::", "cub::", "cublas"};
    g->forbidden_count = read_strings_field(L, r, t, "forbid", &g->forbidden);
    if (g->forbidden) return;
    g->forbidden = usual;
    g->forbidden_count = sizeof usual / sizeof *usual;
}

/* files = { "main.cu", "blur.cu", "blur.h" }; program = true. */
static void read_files(lua_State *L, reader *r, int t, grade_lab *g) {
    bool source = false;
    g->whole_program = read_flag_field(L, r, t, "program");
    g->file_count = read_strings_field(L, r, t, "files", &g->files);
    if (g->file_count > LIB_PARTS) lesson_fail(L, r->line, "files", w_lesson_files_most(LIB_PARTS));
    for (size_t i = 0; i < g->file_count; i++) {
        if (!lib_part_name_ok(g->files[i]))
            lesson_fail(L, r->line, "files", w_lesson_file_name(g->files[i]));
        for (size_t k = 0; k < i; k++)
            if (!strcmp(g->files[i], g->files[k]))
                lesson_fail(L, r->line, "files", w_lesson_file_twice(g->files[i]));
        source |= !lib_part_is_header(g->files[i]);
    }
    if (g->file_count && !source) lesson_fail(L, r->line, "files", w_lesson_files_no_source());
    if ((g->file_count || g->whole_program) && read_push_field(L, t, "entry") != LUA_TSTRING)
        lesson_fail(L, r->line, g->file_count ? "files" : "program",
                    w_lesson_needs_entry(g->file_count ? "files" : "program"));
    if (g->file_count || g->whole_program) lua_pop(L, 1);
}

/* debug = { case = 2, at = { "if (i % 2" }, en = ..., zh = ... } */
static void read_debug(lua_State *L, reader *r, int t) {
    int type = read_push_field(L, t, "debug");
    if (type != LUA_TNIL) {
        if (type != LUA_TTABLE)
            lesson_fail(L, r->line, "debug", w_lesson_debug_no_table(luaL_typename(L, -1)));
        int at = lua_gettop(L);
        lab_debug *d = &r->l->debug;
        r->what = "debug";
        read_only(L, r, at, "case at en zh");
        double number = read_number_field(L, r, at, "case", 1, false);
        if (!(number >= 1) || number > (double)r->l->grade.case_count || number != (size_t)number)
            lesson_fail(L, r->line, "case", w_lesson_debug_case(r->l->grade.case_count));
        d->number = (size_t)number;
        d->at_count = read_strings_field(L, r, at, "at", &d->at);
        read_text_pair(L, r, at, "debug", &d->text);
        r->what = "lab";
    }
    lua_pop(L, 1);
}

/* Reads what a list of labs shows, and the lab's place in it. */
static void read_header(lua_State *L, reader *r, int t) {
    lab *l = r->l;
    const char *id = read_string_field(L, r, t, "id", true), *slash = strchr(l->id, '/');
    const char *called = slash ? slash + 1 : l->id;
    if (strcmp(id, called) != 0) lesson_fail(L, r->line, "id", w_lesson_id_differs(id, called));
    read_text_field(L, r, t, "title", &l->title, true);
    l->chapter = read_int_field(L, r, t, "chapter", 0, true);
    if (l->chapter < 1 || l->chapter > 99)
        lesson_fail(L, r->line, "chapter", w_lesson_chapter_range());
    l->minutes = read_int_field(L, r, t, "minutes", 0, true);
    if (l->minutes < 1 || l->minutes > 600)
        lesson_fail(L, r->line, "minutes", w_lesson_minutes_range());
    l->need_count = read_strings_field(L, r, t, "needs", &l->needs);
    for (size_t i = 0; i < l->need_count; i++)
        if (!strcmp(l->needs[i], called)) lesson_fail(L, r->line, "needs", w_lesson_needs_itself());
}

/* Reads what the grader needs. */
static void read_grading(lua_State *L, reader *r, int t) {
    lab *l = r->l;
    grade_lab *g = &l->grade;
    g->id = l->id;
    for (int i = 0; i < LIB_LANGS; i++) g->title[i] = l->title.text[i];
    bool needs_entry = false;
    for (size_t i = 0; i < g->goal_count; i++) needs_entry |= !grade_goal_in_words(&g->goals[i]);
    g->entry_text = read_string_field(L, r, t, "entry", needs_entry);
    g->time_limit_s = read_number_field(L, r, t, "time_limit", 0, false);
    g->host_time = read_flag_field(L, r, t, "host_time");
    read_device_memory(L, r, t);
    g->warm = read_flag_field(L, r, t, "warm");
    read_host(L, r, t);
    /* the whole program is the student's */
    if (g->whole_program) g->host_work = GRADE_HOST_ANYTHING;
    read_forbid(L, r, t, g);
    if (g->entry_text) {
        read_args(L, r, t, g);
        read_cases(L, r, t);
        read_hidden(L, r, t);
    } else {
        no_entry(L, r, t);
    }
}

static int read_lab(lua_State *L) {
    reader *r = lua_touserdata(L, 1);
    lab *l = r->l;
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->s->table);
    int t = lua_gettop(L);
    r->line = read_line_of(L, t, 1);
    r->what = "lab";
    read_only(L, r, t, lesson_named("lab"));
    read_header(L, r, t);
    read_goals(L, r, t);
    r->what = "lab";
    read_files(L, r, t, &l->grade);
    l->source = read_string_field(L, r, t, "source", false);
    if (!l->source) l->source = "";
    if (r->header_only) return 0;
    l->hash = read_hash(
        L, t, "id title chapter minutes needs source teaches steps hints after more draws debug",
        true);

    read_grading(L, r, t);
    read_asked(L, r, t);
    r->what = "lab";
    read_debug(L, r, t);
    read_text_field(L, r, t, "after", &l->after, true);
    read_text_field(L, r, t, "more", &l->more, true);
    read_hints(L, r, t);
    read_named_draws(L, r, t);
    read_steps(L, r, t);
    read_teaches(L, r, t);
    return 0;
}

bool lesson_lua_read(lab_state *s, lab *l, bool header_only, lib_message *msg) {
    reader r = {.s = s, .l = l, .header_only = header_only, .only = l->only};
    return lesson_lua_protected(s, read_lab, &r, msg);
}
