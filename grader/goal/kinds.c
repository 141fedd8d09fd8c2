/* The table of kinds, and the functions that ask a goal's kind. The usual answers are here, a
 * kind's own answers are in its file. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

static const struct {
    const char *name;
    const goal_kind *kind;
} kinds[GRADE_GOAL_KINDS] = {
#define GOAL(ID, name) {#name, &goal_##name},
#include "grader/goals.def"
#undef GOAL
};

const goal_kind *goal_kind_of(const grade_goal *g) {
    return kinds[g->kind].kind;
}

/* ---- names and words ---- */

const char *grade_goal_kind_name(grade_goal_kind k) {
    return kinds[k].name;
}

grade_goal_kind grade_goal_kind_find(const char *name) {
    size_t k = 0;
    while (k < GRADE_GOAL_KINDS && strcmp(kinds[k].name, name) != 0) k++;
    return (grade_goal_kind)k;
}

bool grade_goal_called(const grade_goal *g, const char *name) {
    return !strcmp(name, kinds[g->kind].name) || (g->name && !strcmp(name, g->name));
}

const goal_word *goal_word_at(size_t i, grade_goal_kind *kind) {
    for (size_t k = 0; k < GRADE_GOAL_KINDS; k++)
        for (size_t w = 0; w < GOAL_WORDS && kinds[k].kind->words[w].name; w++)
            if (!i--) {
                *kind = (grade_goal_kind)k;
                return &kinds[k].kind->words[w];
            }
    return NULL;
}

void grade_goal_read(goal_source *s, grade_goal_kind kind, grade_goal *g) {
    g->kind = kind;
    if (kinds[kind].kind->read) kinds[kind].kind->read(s, g);
}

bool grade_goal_check(const grade_goal *g, lib_message *why) {
    const goal_kind *k = goal_kind_of(g);
    lib_words wrong = k->check ? k->check(g) : (lib_words){0};
    lib_message_set(why, wrong);
    return !wrong.id;
}

/* ---- what a kind is like ---- */

bool grade_goal_correctness(const grade_goal *g) {
    return goal_kind_of(g)->correctness;
}
bool grade_goal_in_words(const grade_goal *g) {
    return goal_kind_of(g)->in_words;
}
bool grade_goal_quiz(const grade_goal *g) {
    return goal_kind_of(g)->quiz;
}
bool grade_goal_counted(const grade_goal *g) {
    return goal_kind_of(g)->counted;
}
bool grade_goal_figure(const grade_goal *g) {
    return goal_kind_of(g)->figure;
}
bool grade_goal_timed(const grade_goal *g) {
    return goal_kind_of(g)->timed;
}

bool grade_goal_rule(const grade_goal *g) {
    return goal_kind_of(g)->rule;
}

grade_relation grade_goal_relation(const grade_goal *g) {
    return goal_kind_of(g)->counted ? g->relation : GRADE_GE;
}

bool grade_result_correct(const grade_result *r) {
    for (size_t i = 0; i < r->goal_count; i++)
        if (grade_goal_correctness(r->goals[i].goal) && !r->goals[i].pass) return false;
    return true;
}

const goal_bound *grade_goal_bound(const grade_goal *g) {
    const goal_kind *k = goal_kind_of(g);
    return k->bound ? k->bound(g) : NULL;
}

/* ---- measured times ---- */

bool grade_goal_decided(const grade_goal *g, const grade_evidence *e, const grade_ratio *q) {
    const goal_kind *k = goal_kind_of(g);
    double lo, hi;
    if (!k->interval) return true;
    k->interval(g, e, q, &lo, &hi);
    double next = k->next ? k->next(g, lo) : lo < g->threshold ? g->threshold : HUGE_VAL;
    return next >= hi;
}

/* ---- wording ---- */

char *grade_goal_sentence(const grade_goal *g, lib_lang lang) {
    return lib_words_take(lang, goal_kind_of(g)->sentence(g));
}

char *grade_goal_title(const char *kind, const char *name, const char *relation, double expected,
                       lib_lang lang) {
    grade_goal_kind k = grade_goal_kind_find(kind);
    if (k == GRADE_GOAL_KINDS) return lib_strdup(name);
    return lib_words_take(lang, kinds[k].kind->title(name, relation, expected));
}

const char *grade_goal_value(const grade_goal *g, double v, char buf[32]) {
    const goal_kind *k = goal_kind_of(g);
    return k->value ? k->value(buf, v) : lib_figure(buf, 4, v);
}

char *grade_goal_line(const grade_goal_result *r, lib_lang lang) {
    const goal_kind *k = goal_kind_of(r->goal);
    lib_words asks = k->line ? k->line(r) : k->sentence(r->goal);
    lib_message m;
    char now[32];
    if (!k->figure) return lib_words_take(lang, asks);
    lib_message_set(&m, asks);
    return lib_words_take(lang, w_goal_line(&m, grade_goal_value(r->goal, r->actual, now)));
}

double grade_goal_near(const grade_goal_result *r) {
    grade_relation rel = grade_goal_relation(r->goal);
    double share = r->pass ? 1 : 0;
    if (r->pass || !(r->actual > 0) || !(r->expected > 0)) return share;
    share = rel == GRADE_LE || rel == GRADE_LT ? r->expected / r->actual : r->actual / r->expected;
    if (rel == GRADE_EQ && share > 1) share = 1 / share; /* too much is as far away as too little */
    return share > 0.99 ? 0.99 : share;
}

bool grade_goal_room(const grade_goal_result *r, double *room) {
    const goal_kind *k = goal_kind_of(r->goal);
    if (k->room) return k->room(r, room);
    *room = r->expected == 0 ? HUGE_VAL : r->actual / r->expected;
    return true;
}

void grade_goal_json(const grade_goal_result *r, json_t *o) {
    const goal_kind *k = goal_kind_of(r->goal);
    if (k->json) k->json(r, o);
}
