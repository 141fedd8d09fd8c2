/* Reads the part of a lesson that the student sees: steps, questions, pictures, hints. See
 * lua_lab.c. */
#include "runner/lesson/lua_steps.h"
#include "grader/lab.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/profile.h"
#include "runner/lesson/lua_grade.h"
#include "grader/goal/goal.h"
#include "words/lesson.h"

/* ---- steps ---- */

static int ref_field(lua_State *L, reader *r, int t, const char *name, bool table_too) {
    int type = read_push_field(L, t, name);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return 0;
    }
    if (type != LUA_TFUNCTION && !(table_too && type == LUA_TTABLE))
        lesson_fail(L, r->line, name,
                    table_too ? w_lesson_field_no_numbers(r->what, name, luaL_typename(L, -1))
                              : w_lesson_field_no_function(r->what, name, luaL_typename(L, -1)));
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

static lab_source read_program(lua_State *L, reader *r, int t, const char *field, const char **file,
                               lab_source otherwise) {
    static const char *const names[] = {"mine", "baseline", "answer", "skeleton"};
    const char *of = read_string_field(L, r, t, field, false);
    if (!of) return otherwise;
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(of, names[i])) return (lab_source)i;
    size_t n = strlen(of);
    if (!strncmp(of, "kernels/", 8) && n > 11 && !strcmp(of + n - 3, ".cu") && !strstr(of, "..") &&
        !strchr(of + 8, '/')) {
        *file = of;
        return LAB_OF_FILE;
    }
    lesson_fail(L, r->line, field, w_lesson_program_unknown(r->what, field, of));
    return otherwise;
}

static void read_device(lua_State *L, reader *r, int t, lab_measure *m) {
    m->device = read_string_field(L, r, t, "on", false);
    if (m->device && !sim_profile_find(strncmp(m->device, "sim:", 4) ? "" : m->device + 4))
        lesson_fail(L, r->line, "on", w_lesson_on_no_device(r->what, m->device));
}

/* Reads entry, args, baseline: a program of the lesson's own. */
static const lab_program *read_own_entry(lua_State *L, reader *r, int t) {
    const char *entry = read_string_field(L, r, t, "entry", false);
    if (!entry) {
        static const char *const idle[] = {"args", "baseline"};
        for (int i = 0; i < 2; i++) {
            if (read_push_field(L, t, idle[i]) != LUA_TNIL)
                lesson_fail(L, r->line, idle[i], w_lesson_needs_own_entry(r->what, idle[i]));
            lua_pop(L, 1);
        }
        return NULL;
    }
    lab_program *p = lesson_alloc(r->s, sizeof *p);
    p->next = r->l->programs;
    r->l->programs = p; /* at once, so that lab_free() finds its expressions */
    p->lab.id = r->l->id;
    p->lab.home = r->l->grade.home;
    p->lab.untrusted = r->l->grade.untrusted;
    for (int i = 0; i < LIB_LANGS; i++) p->lab.title[i] = r->l->title.text[i];
    p->lab.entry_text = entry;
    p->lab.warm = r->l->grade.warm;
    p->lab.time_limit_s = r->l->grade.time_limit_s;
    read_args(L, r, t, &p->lab);
    if (read_program(L, r, t, "baseline", &p->baseline, LAB_OF_FILE) != LAB_OF_FILE)
        lesson_fail(L, r->line, "baseline", w_lesson_baseline_no_file(r->what));
    return p;
}

/* A quiz has neither a file of the student nor a baseline. */
static void check_source(lua_State *L, reader *r, const lab_measure *m) {
    bool file = m->of == LAB_OF_FILE;
    if (m->program && !file) lesson_fail(L, r->line, "entry", w_lesson_entry_of_lab(r->what));
    if (m->program && !m->params_ref)
        lesson_fail(L, r->line, "entry", w_lesson_case_missing(r->what));
    if (!m->program && !r->l->grade.entry_text)
        lesson_fail(L, r->line, NULL, w_lesson_entry_missing(r->what));
    if (r->l->quiz && !file) lesson_fail(L, r->line, "of", w_lesson_quiz_of(r->what));
}

static void read_measure(lua_State *L, reader *r, int t, lab_measure *m, bool counter,
                         lab_source otherwise) {
    m->of = read_program(L, r, t, "of", &m->file, otherwise);
    m->program = read_own_entry(L, r, t);
    m->params_ref = ref_field(L, r, t, "case", true);
    read_device(L, r, t, m);
    m->counter = read_string_field(L, r, t, "counter", counter);
    if (m->counter) read_check_metric(L, r, m->counter);
    check_source(L, r, m);
}

void read_asked(lua_State *L, reader *r, int t) {
    const grade_lab *g = &r->l->grade;
    lab_measure *asked = lesson_alloc(r->s, (g->goal_count + 1) * sizeof *asked);
    unsigned outer = r->line;
    read_push_field(L, t, "goals");
    int list = lua_gettop(L);
    for (size_t i = 0; i < g->goal_count; i++) {
        const grade_said *said = g->goals[i].said;
        if (!said || said->kind == GRADE_SAID_TEXT) continue;
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        r->line = read_line_of(L, lua_gettop(L), outer);
        r->what = "answer";
        read_measure(L, r, lua_gettop(L), &asked[i], false, LAB_OF_MINE);
        if (said->kind == GRADE_SAID_NUMBER && asked[i].of == LAB_OF_MINE)
            lesson_fail(L, r->line, "of", w_lesson_answer_of());
        lua_settop(L, list);
    }
    r->line = outer;
    r->l->asked = asked;
    lua_pop(L, 1);
}

static int draw_by_name(const void *a, const void *b) {
    return strcmp(((const lab_draw *)a)->name, ((const lab_draw *)b)->name);
}
/* Reads the draws of the table at d. */
static size_t read_draw_table(lua_State *L, reader *r, int d, const lab_draw **out) {
    lab_draw *draws = lesson_alloc(r->s, LAB_DRAWS * sizeof *draws);
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, d)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (!key || !lua_istable(L, -1))
            lesson_fail(L, r->line, "draw", w_lesson_draw_no_table(r->what));
        if (n == LAB_DRAWS) lesson_fail(L, r->line, "draw", w_lesson_draw_most(r->what, LAB_DRAWS));
        int e = lua_gettop(L);
        lab_draw *one = &draws[n++];
        one->name = lesson_strdup(r->s, key);
        if (read_push_field(L, e, "from") == LUA_TTABLE) {
            int f = lua_gettop(L);
            one->from_count = read_count(L, r, f, "draw");
            double *from = lesson_alloc(r->s, (one->from_count + 1) * sizeof *from);
            for (size_t i = 0; i < one->from_count; i++) {
                if (lua_rawgeti(L, f, (lua_Integer)i + 1) != LUA_TNUMBER)
                    lesson_fail(L, r->line, "draw", w_lesson_draw_from_numbers(r->what, key));
                from[i] = lua_tonumber(L, -1);
                lua_pop(L, 1);
            }
            if (!one->from_count)
                lesson_fail(L, r->line, "draw", w_lesson_draw_from_empty(r->what, key));
            one->from = from;
            lua_pop(L, 1);
        } else {
            lua_pop(L, 1);
            bool ok = lua_rawgeti(L, e, 1) == LUA_TNUMBER && lua_rawgeti(L, e, 2) == LUA_TNUMBER;
            if (!ok || lua_tonumber(L, -2) > lua_tonumber(L, -1))
                lesson_fail(L, r->line, "draw", w_lesson_draw_range(r->what, key));
            one->lo = lua_tonumber(L, -2);
            one->hi = lua_tonumber(L, -1);
            lua_pop(L, 2);
            one->multiple = read_number_field(L, r, e, "multiple", 1, false);
            if (one->multiple < 1 || ceil(one->lo / one->multiple) * one->multiple > one->hi)
                lesson_fail(
                    L, r->line, "draw",
                    w_lesson_draw_no_multiple(r->what, key, one->multiple, one->lo, one->hi));
        }
        lua_pop(L, 1);
    }
    qsort(draws, n, sizeof *draws, draw_by_name);
    *out = draws;
    return n;
}

void read_named_draws(lua_State *L, reader *r, int t) {
    int type = read_push_field(L, t, "draws"), list = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        lesson_fail(L, r->line, "draws", w_lesson_draws_no_table(luaL_typename(L, -1)));
    if (type == LUA_TTABLE) lua_pushnil(L);
    while (type == LUA_TTABLE && lua_next(L, list)) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1) || r->named_count == LAB_GROUPS)
            lesson_fail(L, r->line, "draws", w_lesson_draws_most(LAB_GROUPS));
        unsigned i = r->named_count++;
        r->named[i].name = lesson_strdup(r->s, lua_tostring(L, -2));
        r->named[i].count = read_draw_table(L, r, lua_gettop(L), &r->named[i].draws);
        lua_settop(L, list + 1);
    }
    lua_settop(L, list - 1);
}

static unsigned new_group(lua_State *L, reader *r) {
    if (r->groups == LAB_GROUPS)
        lesson_fail(L, r->line, "draw", w_lesson_draw_groups(r->what, LAB_GROUPS));
    return ++r->groups;
}

static void read_named_draw(lua_State *L, reader *r, const char *name, lab_step *step) {
    char all[200] = "";
    for (unsigned i = 0; i < r->named_count; i++) {
        if (!strcmp(r->named[i].name, name)) {
            if (!r->named[i].group) r->named[i].group = new_group(L, r);
            step->draws = r->named[i].draws;
            step->draw_count = r->named[i].count;
            step->group = r->named[i].group;
            return;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", r->named[i].name);
    }
    if (!*all) lesson_fail(L, r->line, "draw", w_lesson_draw_none(r->what, name));
    lesson_fail(L, r->line, "draw", w_lesson_draw_no_name(r->what, name, all));
}

/* Takes the numbers of the last earlier step that draws any. */
static void read_same_draw(lua_State *L, reader *r, lab_step *first, lab_step *step) {
    lab_step *from = step;
    while (from > first && !(from - 1)->draw_count) from--;
    if (from == first) lesson_fail(L, r->line, "draw", w_lesson_draw_same(r->what));
    from--;
    if (!from->group) from->group = new_group(L, r);
    step->draws = from->draws;
    step->draw_count = from->draw_count;
    step->group = from->group;
}

static void read_draws(lua_State *L, reader *r, int t, lab_step *first, lab_step *step) {
    int type = read_push_field(L, t, "draw"), d = lua_gettop(L);
    if (type == LUA_TSTRING) read_named_draw(L, r, lua_tostring(L, d), step);
    else if (!strcmp(read_kind_of(L, d), "same")) read_same_draw(L, r, first, step);
    else if (type == LUA_TTABLE) step->draw_count = read_draw_table(L, r, d, &step->draws);
    else if (type != LUA_TNIL)
        lesson_fail(L, r->line, "draw", w_lesson_draw_unknown(r->what, luaL_typename(L, -1)));
    lua_settop(L, d - 1);
}

static void read_choices(lua_State *L, reader *r, int t, lab_question *q) {
    read_push_field(L, t, "choices");
    int list = lua_gettop(L);
    size_t n = read_count(L, r, list, "choices"), right = 0;
    if (n < 2 || n > LAB_CHOICES)
        lesson_fail(L, r->line, "choices", w_lesson_choices_count(r->what, LAB_CHOICES));
    lab_choice *c = lesson_alloc(r->s, n * sizeof *c);
    for (size_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != LUA_TTABLE)
            lesson_fail(L, r->line, "choices",
                        w_lesson_choice_no_table(r->what, i + 1, luaL_typename(L, -1)));
        int e = lua_gettop(L);
        const char *what = r->what;
        r->what = "choices";
        read_only(L, r, e, "[] en zh right because fixed");
        if (lua_rawgeti(L, e, 1) == LUA_TSTRING)
            c[i].text.text[0] = c[i].text.text[1] = lesson_strdup(r->s, lua_tostring(L, -1));
        else read_text_pair(L, r, e, "choices", &c[i].text);
        lua_pop(L, 1);
        c[i].right = read_flag_field(L, r, e, "right");
        c[i].fixed = read_flag_field(L, r, e, "fixed");
        right += c[i].right;
        read_text_field(L, r, e, "because", &c[i].because, false);
        r->what = what;
        lua_pop(L, 1);
    }
    if (!right) lesson_fail(L, r->line, "choices", w_lesson_choices_none_right(r->what));
    q->kind = LAB_ANSWER_CHOICE;
    q->choices = c;
    q->choice_count = n;
    lua_pop(L, 1);
}

/* { { 15, en = ..., zh = ... }, { function(d) ... end, ... } }, or forms of a text answer. */
static void read_replies(lua_State *L, reader *r, int t, lab_question *q) {
    int type = read_push_field(L, t, "replies"), list = lua_gettop(L);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    size_t n = read_count(L, r, list, "replies");
    bool text = q->kind == LAB_ANSWER_TEXT;
    if (q->kind == LAB_ANSWER_CHOICE)
        lesson_fail(L, r->line, "replies", w_lesson_replies_choices(r->what));
    if (n < 1 || n > LAB_REPLIES)
        lesson_fail(L, r->line, "replies",
                    w_lesson_replies_no_list(r->what, LAB_REPLIES,
                                             text ? W_LESSON_WRONG_TEXT : W_LESSON_WRONG_NUMBER));
    lab_reply *p = lesson_alloc(r->s, n * sizeof *p);
    const char *what = r->what;
    r->what = "replies";
    for (size_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != LUA_TTABLE)
            lesson_fail(L, r->line, "replies",
                        w_lesson_reply_no_table(i + 1, luaL_typename(L, -1)));
        int e = lua_gettop(L);
        read_only(L, r, e, "[] en zh");
        read_text_pair(L, r, e, "replies", &p[i].text);
        int first = lua_rawgeti(L, e, 1);
        if (text) {
            lua_settop(L, e);
            p[i].accept_count = read_list(L, r, e, "replies", &p[i].accept);
        } else if (first == LUA_TNUMBER) {
            p[i].number = lua_tonumber(L, -1);
        } else if (first == LUA_TFUNCTION) {
            lua_pushvalue(L, -1);
            p[i].ref = luaL_ref(L, LUA_REGISTRYINDEX);
        }
        if (text ? !p[i].accept_count : first != LUA_TNUMBER && first != LUA_TFUNCTION)
            lesson_fail(
                L, r->line, "replies",
                w_lesson_reply_no_answer(i + 1, lua_typename(L, first),
                                         text ? W_LESSON_REPLY_TEXTS : W_LESSON_REPLY_NUMBER));
        lua_settop(L, list);
    }
    r->what = what;
    q->replies = p;
    q->reply_count = n;
    lua_settop(L, list - 1);
}

static void read_order(lua_State *L, reader *r, int t, lab_question *q) {
    const char *order = read_string_field(L, r, t, "order", false);
    if (!order) return;
    if (strcmp(order, "fixed") != 0 || q->kind != LAB_ANSWER_CHOICE)
        lesson_fail(L, r->line, "order", w_lesson_order_fixed(r->what, order));
    q->ordered = true;
}

static void read_question(lua_State *L, reader *r, int t, lab_question *q) {
    q->tolerance = read_number_field(L, r, t, "tolerance", 0, false);
    if (q->tolerance < 0 || q->tolerance > 1)
        lesson_fail(L, r->line, "tolerance", w_lesson_tolerance_range(r->what));
    q->unit = read_string_field(L, r, t, "unit", false);
    if (!q->unit) q->unit = "";
    read_text_field(L, r, t, "because", &q->because, false);
    int choices = read_push_field(L, t, "choices"), accept = read_push_field(L, t, "accept"),
        answer = read_push_field(L, t, "answer");
    int ways = (choices != LUA_TNIL) + (accept != LUA_TNIL) + (answer != LUA_TNIL);
    if (ways != 1) lesson_fail(L, r->line, NULL, w_lesson_question_ways(r->what, ways));
    int at = lua_gettop(L);
    if (choices != LUA_TNIL) {
        read_choices(L, r, t, q);
    } else if (accept != LUA_TNIL) {
        q->kind = LAB_ANSWER_TEXT;
        q->accept_count = read_strings_field(L, r, t, "accept", &q->accept);
        if (!q->accept_count) lesson_fail(L, r->line, "accept", w_lesson_accept_empty(r->what));
    } else if (answer == LUA_TNUMBER) {
        q->kind = LAB_ANSWER_NUMBER;
        q->number = lua_tonumber(L, at);
    } else if (answer == LUA_TFUNCTION) {
        q->kind = LAB_ANSWER_NUMBER;
        q->answer_ref = ref_field(L, r, t, "answer", false);
    } else if (!strcmp(read_kind_of(L, at), "measured")) {
        q->kind = LAB_ANSWER_MEASURED;
        const char *what = r->what;
        r->what = "measured";
        read_only(L, r, at, lesson_named("measured"));
        read_measure(L, r, at, &q->measure, true, LAB_OF_BASELINE);
        r->what = what;
    } else {
        lesson_fail(L, r->line, "answer",
                    w_lesson_answer_unknown(r->what, lua_typename(L, answer)));
    }
    lua_settop(L, at - 3);
    read_replies(L, r, t, q);
    read_order(L, r, t, q);
}

const char *const lab_picture_name[LAB_PIC_COUNT] = {
    "sectors", "banks",      "divergence", "occupancy", "roofline", "timeline", "whatif",
    "stalls",  "calculator", "counters",   "lanes",     "bankmap",  "rounds"};
const char *const lab_step_name[6] = {"say", "ask", "predict", "show", "exercise", "compare"};

static void read_counter_list(lua_State *L, reader *r, int t, lab_show *w) {
    w->counter_count = read_strings_field(L, r, t, "counters", &w->counters);
    for (size_t i = 0; i < w->counter_count; i++) read_check_metric(L, r, w->counters[i]);
}

/* registers = 32, shared = 4096, block = 256: values without a program. */
static void read_calculator(lua_State *L, reader *r, int t, lab_show *w) {
    static const struct {
        const char *name;
        double least, most;
    } fields[] = {{"registers", 1, 255}, {"shared", 0, 1 << 18}, {"block", 1, 1024}};
    unsigned *to[] = {&w->registers, &w->shared, &w->block};
    for (int i = 0; i < 3; i++) {
        if (read_push_field(L, t, fields[i].name) != LUA_TNIL && w->picture != LAB_PIC_CALCULATOR)
            lesson_fail(L, r->line, fields[i].name, w_lesson_show_calculator(fields[i].name));
        bool given = !lua_isnil(L, -1);
        lua_pop(L, 1);
        double v = read_number_field(L, r, t, fields[i].name, 0, i > 0 && i != 1 && w->registers);
        if (given && (v < fields[i].least || v > fields[i].most || v != floor(v)))
            lesson_fail(L, r->line, fields[i].name,
                        w_lesson_show_range(fields[i].name, fields[i].least, fields[i].most));
        if (given && i && !w->registers)
            lesson_fail(L, r->line, fields[i].name, w_lesson_show_registers(fields[i].name));
        *to[i] = (unsigned)v;
    }
}

static void read_show(lua_State *L, reader *r, int t, lab_show *w) {
    const char *name = read_string_field(L, r, t, "picture", true);
    size_t k = read_index(lab_picture_name, LAB_PIC_COUNT, name);
    if (k == LAB_PIC_COUNT) {
        char all[160] = "";
        for (k = 0; k < LAB_PIC_COUNT; k++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? "\n" : "",
                     lab_picture_name[k]);
        lesson_fail(L, r->line, "picture", w_lesson_picture_unknown(all, name));
    }
    w->picture = (lab_picture)k;
    w->model_ref = ref_field(L, r, t, "model", false);
    bool model = w->picture >= LAB_PIC_LANES;
    read_calculator(L, r, t, w);
    if (!model && !w->registers) read_measure(L, r, t, &w->measure, false, LAB_OF_MINE);
    else read_device(L, r, t, &w->measure);
    read_counter_list(L, r, t, w);
    if (model && !w->model_ref)
        lesson_fail(L, r->line, "picture", w_lesson_picture_needs_model(name));
    if (!model && w->model_ref) lesson_fail(L, r->line, "model", w_lesson_picture_no_model(name));
    if (w->picture == LAB_PIC_COUNTERS && !w->counter_count)
        lesson_fail(L, r->line, "picture", w_lesson_picture_needs_counters());
    int lanes = read_int_field(L, r, t, "lanes", 32, false),
        rounds = read_int_field(L, r, t, "rounds", 1, false);
    if (lanes < 1 || lanes > 1024 || rounds < 1 || rounds > 16)
        lesson_fail(L, r->line, "lanes", w_lesson_show_lanes());
    w->lanes = (unsigned)lanes;
    w->rounds = (unsigned)rounds;
    const char *file = NULL;
    read_push_field(L, t, "beside");
    w->has_beside = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (w->has_beside) {
        w->beside = w->measure;
        w->beside.of = read_program(L, r, t, "beside", &file, LAB_OF_BASELINE);
        w->beside.file = file;
        check_source(L, r, &w->beside);
    }
}

static void read_step(lua_State *L, reader *r, int t, lab_step *first, lab_step *step) {
    const char *kind = read_kind_of(L, t);
    size_t k = read_index(lab_step_name, 6, kind);
    if (k == 6)
        lesson_fail(L, r->line, "steps",
                    w_lesson_step_unknown(kind[0] ? kind : luaL_typename(L, t)));
    step->kind = (lab_step_kind)k;
    step->line = r->line = read_line_of(L, t, r->line);
    step->hash = read_hash(L, t, "teaches because replies choices accept", false);
    r->what = lab_step_name[k];
    char allowed[200];
    snprintf(allowed, sizeof allowed, "%s teaches", lesson_named(lab_step_name[k]));
    read_only(L, r, t, allowed);
    read_text_pair(L, r, t, "(text)", &step->text);
    step->teach_count = read_strings_field(L, r, t, "teaches", &step->teaches);
    read_draws(L, r, t, first, step);
    switch (step->kind) {
    case LAB_ASK:
        read_question(L, r, t, &step->question);
        step->alone = read_flag_field(L, r, t, "alone");
        break;
    case LAB_PREDICT:
        step->question.kind = LAB_ANSWER_MEASURED;
        step->question.tolerance = read_number_field(L, r, t, "tolerance", 0.1, false);
        step->question.unit = read_string_field(L, r, t, "unit", false);
        if (!step->question.unit) step->question.unit = "";
        read_text_field(L, r, t, "because", &step->question.because, false);
        read_measure(L, r, t, &step->question.measure, true, LAB_OF_MINE);
        read_replies(L, r, t, &step->question);
        break;
    case LAB_SHOW: read_show(L, r, t, &step->show); break;
    case LAB_COMPARE: {
        lab_show *w = &step->show;
        w->picture = LAB_PIC_COUNTERS;
        read_measure(L, r, t, &w->measure, false, LAB_OF_MINE);
        w->beside = w->measure;
        w->beside.file = NULL;
        w->beside.of = read_program(L, r, t, "beside", &w->beside.file, LAB_OF_BASELINE);
        check_source(L, r, &w->beside);
        w->has_beside = true;
        read_counter_list(L, r, t, w);
        if (!w->counter_count) lesson_fail(L, r->line, NULL, w_lesson_compare_counters());
        break;
    }
    case LAB_SAY:
    case LAB_EXERCISE: break;
    }
}

void read_steps(lua_State *L, reader *r, int t) {
    if (read_push_field(L, t, "steps") != LUA_TTABLE || !lua_rawlen(L, -1))
        lesson_fail(L, r->line, "steps", w_lesson_steps_no_list());
    int list = lua_gettop(L);
    size_t n = read_count(L, r, list, "steps"), exercises = 0, asks = 0;
    lab_step *steps = lesson_alloc(r->s, n * sizeof *steps);
    unsigned outer = r->line;
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        read_step(L, r, lua_gettop(L), steps, &steps[i]);
        exercises += steps[i].kind == LAB_EXERCISE;
        asks += steps[i].kind == LAB_ASK || steps[i].kind == LAB_PREDICT;
        r->line = outer;
        lua_settop(L, list);
    }
    if (exercises != !r->l->quiz)
        lesson_fail(L, r->line, "steps",
                    r->l->quiz ? w_lesson_quiz_exercise(exercises)
                               : w_lesson_one_exercise(exercises));
    if (r->l->quiz && asks < 3) lesson_fail(L, r->line, "steps", w_lesson_quiz_asks(asks));
    r->l->steps = steps;
    r->l->step_count = n;
    lua_pop(L, 1);
}

/* goal = "gld_sectors": a hint that is skipped once this goal is met. */
static const char *read_hint_goal(lua_State *L, reader *r, int t) {
    const char *goal = read_string_field(L, r, t, "goal", false);
    const grade_lab *g = &r->l->grade;
    for (size_t i = 0; goal && i < g->goal_count; i++)
        if (grade_goal_called(&g->goals[i], goal)) return goal;
    if (goal) lesson_fail(L, r->line, "hints", w_lesson_hint_no_goal(goal));
    return goal;
}

void read_hints(lua_State *L, reader *r, int t) {
    int type = read_push_field(L, t, "hints");
    if (type == LUA_TNIL && r->l->quiz) {
        lua_pop(L, 1);
        return;
    }
    if (type != LUA_TTABLE || lua_rawlen(L, -1) != LAB_HINTS)
        lesson_fail(L, r->line, "hints", w_lesson_hints_three());
    int list = lua_gettop(L);
    r->what = "hints";
    for (int i = 0; i < LAB_HINTS; i++) {
        if (lua_rawgeti(L, list, i + 1) != LUA_TTABLE)
            lesson_fail(L, r->line, "hints", w_lesson_hint_no_table(i + 1));
        read_only(L, r, lua_gettop(L), "en zh goal");
        read_text_pair(L, r, lua_gettop(L), "hints", &r->l->hints[i]);
        r->l->hint_goal[i] = read_hint_goal(L, r, lua_gettop(L));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
