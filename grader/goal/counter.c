/* counter("syncs", "==", 1) { points = 2 }, at_most("gld_sectors", 0.2 * baseline), at_least(...):
 * compares a counter, a ratio or a figure of the timed call with a number, with the baseline's
 * value, or with that of another kernel. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"
#include "words/advice.h"
#include "words/goal.h"

/* ---- as a lesson writes it ---- */

bool grade_goal_per_thread(const grade_goal *g) {
    return g->per && !strcmp(g->per, "thread");
}

static bool per_known(const grade_goal *g) {
    return !g->per || !strcmp(g->per, "max") || grade_goal_per_thread(g);
}

static void read_launches(goal_source *s, grade_goal *g) {
    g->per = s->text(s, "per", false);
    if (!per_known(g)) s->fail(s, "per", w_goal_per_expected(s->word));
    g->kernel = s->text(s, "kernel", false);
}

static void read_counter(goal_source *s, grade_goal *g) {
    const char *rel = s->text(s, "relation", true);
    while (g->relation <= GRADE_GT && strcmp(grade_relation_text(g->relation), rel) != 0)
        g->relation++;
    if (g->relation > GRADE_GT) s->fail(s, NULL, w_goal_relation_expected(rel));
    g->threshold = s->number(s, "threshold", 0, true);
    if (s->flag(s, "relative"))
        s->fail(s, "relative",
                w_goal_relative_expected(g->relation <= GRADE_LT ? "at_most" : "at_least", g->name,
                                         g->threshold));
    read_launches(s, g);
    g->than = s->text(s, "beside", false);
    if (g->than && !g->kernel) s->fail(s, "beside", w_goal_beside_without_kernel());
}

static void counter_read(goal_source *s, grade_goal *g) {
    g->name = s->text(s, "name", true);
    s->counter(s, g->name);
    if (!strcmp(s->word, "counter")) {
        read_counter(s, g);
        return;
    }
    g->relation = strcmp(s->word, "at_most") ? GRADE_GE : GRADE_LE;
    g->threshold = s->times(s, "threshold", &g->relative);
    read_launches(s, g);
}

static lib_words counter_check(const grade_goal *g) {
    if (!g->name || !grade_metric_known(g->name))
        return w_goal_no_such_counter(g->name ? g->name : "");
    if (!per_known(g)) return w_goal_per_not_max(g->per);
    bool sum = g->relative && g->relation == GRADE_LE && grade_metric_sum(g->name);
    return grade_goal_per_thread(g) && !sum ? w_goal_per_thread_of_what() : (lib_words){0};
}

/* ---- judged ---- */

typedef struct {
    const char *prefix;
    lib_word_id word;
} counter_hint;

/* `large`: the value is above what is asked. What makes less of a thing is no advice for a goal
 * that asks for more of it. */
static lib_word_id advice(const char *counter, bool large) {
    static const counter_hint less[] = {
#define ADVICE(prefix, name) {prefix, W_ADVICE_##name},
#define TOO_SMALL(prefix, name)
#include "grader/judge/advice.def"
#undef ADVICE
#undef TOO_SMALL
    };
    static const counter_hint more[] = {
#define ADVICE(prefix, name)
#define TOO_SMALL(prefix, name) {prefix, W_ADVICE_##name},
#include "grader/judge/advice.def"
#undef ADVICE
#undef TOO_SMALL
    };
    const counter_hint *at = large ? less : more;
    /* ends at the last row, whose prefix is "" */
    while (strncmp(at->prefix, counter, strlen(at->prefix)) != 0) at++;
    return at->word;
}

/* Says what was found and what was asked, with the value on both sides. */
static lib_words compared(const grade_goal_result *g, const lib_message *amount) {
    const grade_goal *goal = g->goal;
    const char *name = goal->name, *rel = grade_relation_text(goal->relation);
    double asked = g->expected, times = goal->threshold;
    if (goal->than && goal->kernel)
        return w_goal_counter_beside(name, goal->kernel, amount, rel, asked, times, goal->than);
    if (goal->than) return w_goal_counter_all_beside(name, amount, rel, asked, times, goal->than);
    if (goal->relative && times == 1) return w_goal_counter_baseline(name, amount, rel, asked);
    if (goal->relative) return w_goal_counter_times_baseline(name, amount, rel, asked, times);
    return w_goal_counter_number(name, amount, rel, asked);
}

static void judge_here(grade_goal_result *g, const grade_metric_value *mine,
                       const grade_metric_value *base) {
    const grade_goal *goal = g->goal;
    bool relative = goal->relative || goal->than;
    lib_message amount;
    g->expected = relative ? goal->threshold * base->value : goal->threshold;
    g->actual = mine->value;
    if (mine->status == METRIC_NO_LAUNCH || mine->status == METRIC_UNDEFINED) {
        lib_message_set(&g->message,
                        mine->status == METRIC_UNDEFINED ? w_goal_counter_no_access(goal->name)
                        : goal->kernel ? w_goal_counter_no_kernel(goal->name, goal->kernel)
                                       : w_goal_counter_no_launch(goal->name));
        return;
    }
    g->pass = mine->status == METRIC_OK && (!relative || base->status == METRIC_OK) &&
              grade_holds(g->actual, goal->relation, g->expected);
    lib_message_set(&amount, grade_amount(g->actual, grade_metric_unit(goal->name)));
    lib_message_set(&g->message, goal->than && base->status == METRIC_NO_LAUNCH
                                     ? w_goal_counter_no_other(goal->name, goal->than)
                                     : compared(g, &amount));
    if (g->pass) return;
    if (mine->fewer > 1) goal_add(g, w_goal_fewer_threads(mine->value / mine->fewer, mine->fewer));
    if (goal->than && base->status == METRIC_FOR_SHOW)
        goal_add(g, w_goal_measure_for_show(goal->than));
    else if (goal->than && base->status == METRIC_FED)
        goal_add(g, w_goal_measure_fed(goal->kernel, goal->than));
    else if (goal->than && base->status == METRIC_HELPED)
        goal_add(g, w_goal_measure_helped(goal->kernel, goal->than));
    else if (goal->than && base->status == METRIC_UNCHECKED)
        goal_add(g, w_goal_measure_unchecked(goal->kernel));
    else if (goal->than && base->part > 0)
        goal_add(g, w_goal_measure_in_part(goal->than, 100 * base->part));
    if (mine->launch[0]) goal_add(g, w_goal_that_of(mine->launch));
    bool large = goal->relation == GRADE_LE || goal->relation == GRADE_LT ||
                 (goal->relation == GRADE_EQ && g->actual > g->expected);
    goal_advise(g, advice(goal->name, large));
}

static void counter_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    if (e->explained) {
        const grade_goal_result *there = &e->explained->goals[i];
        g->pass = there->pass, g->expected = there->expected, g->actual = there->actual;
        g->message = there->message;
    } else judge_here(g, &e->student[i], &e->baseline[i]);
    j->share = g->pass;
}

/* ---- told ---- */

static lib_words counter_sentence(const grade_goal *g) {
    const char *rel = g->relation == GRADE_EQ ? "=" : grade_relation_text(g->relation);
    if (g->than)
        return w_goal_asks_beside(g->name, g->kernel ? g->kernel : "", rel, g->threshold, g->than);
    if (g->relative && g->threshold == 1) return w_goal_asks_baseline(g->name, rel);
    if (grade_goal_per_thread(g)) return w_goal_asks_per_thread(g->name, rel, g->threshold);
    if (g->relative) return w_goal_asks_times_baseline(g->name, rel, g->threshold);
    return w_goal_asks_number(g->name, rel, g->threshold);
}

static lib_words counter_title(const char *name, const char *relation, double expected) {
    return w_goal_title_counter(name, relation, expected);
}

/* Numbers of whole calls ("launches is 1; the goal is >= 1") are only met or missed. */
static bool counts_calls(const char *name) {
    static const char *const units[] = {"launches", "copies", "calls"};
    for (size_t i = 0; i < grade_metric_count(); i++) {
        const sim_counter_info *m = grade_metric_at(i);
        if (strcmp(m->name, name) != 0) continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (!strcmp(m->unit, units[k])) return true;
    }
    return false;
}

/* Returns whether the figure is a percentage of a whole. */
static bool is_share(const char *name) {
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, "_pct");
}

static bool counter_room(const grade_goal_result *r, double *room) {
    double want = r->expected, got = r->actual;
    grade_relation rel = r->goal->relation;
    bool at_most = rel == GRADE_LE || rel == GRADE_LT;
    if (rel == GRADE_EQ || counts_calls(r->goal->name)) return false;
    if (!at_most && want > 50 && is_share(r->goal->name))
        at_most = true, want = 100 - want, got = 100 - got; /* compare what is missing from 100% */
    if (at_most) *room = got == 0 ? HUGE_VAL : want / got;
    else *room = want == 0 ? HUGE_VAL : got / want;
    return true;
}

#define BOUND_FIELDS "name threshold points per kernel en zh"
const goal_kind goal_counter = {
    .words = {{"counter", "name relation threshold",
               "name relation threshold relative points per kernel beside en zh",
               "The counter over the timed call compares so."},
              {"at_most", "name threshold", BOUND_FIELDS,
               "The counter is at most that; 0.2 * baseline: of the baseline's."},
              {"at_least", "name threshold", BOUND_FIELDS, "The counter is at least that."}},
    .counted = true,
    .figure = true,
    .read = counter_read,
    .check = counter_check,
    .judge = counter_judge,
    .sentence = counter_sentence,
    .title = counter_title,
    .room = counter_room,
};
