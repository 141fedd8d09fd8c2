/* Turns what was measured into points, messages and a verdict.
 *
 * Outputs come first: a goal about a figure (speed, a counter) earns nothing while an output is
 * wrong or a finding makes it luck. How a goal is judged is in the file of its kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grader/goal/kind.h"

/* Returns whether the interval of a measured figure contains the threshold. */
static bool unsure(const grade_result *r, const grade_goal *g, const grade_evidence *e,
                   const goal_kind *kind) {
    grade_ratio q = {
        .lo = r->ci_lo, .hi = r->ci_hi, .student_lo = r->time_lo, .student_hi = r->time_hi};
    double lo, hi;
    if (!e->sampled || !kind->interval) return false;
    kind->interval(g, e, &q, &lo, &hi);
    return lo < g->threshold && hi > g->threshold;
}

/* Every output is right, and not by luck. */
static bool surely_right(const grade_evidence *e) {
    return e->outputs_right && !e->finding;
}

/* Judges a figure of the timed case. It earns nothing while an output is wrong, or right only by
 * luck: a barrier or a wait that is left out makes a program faster and its counters smaller. */
static void judge_figure(grade_result *r, size_t i, const grade_evidence *e, const goal_kind *kind,
                         goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    if (!e->measured) {
        lib_message_set(&g->message, e->unmeasured ? w_goal_not_measured_since(e->unmeasured)
                                                   : w_goal_not_measured());
        return;
    }
    j->unsure = unsure(r, g->goal, e, kind);
    kind->judge(r, i, e, j);
    if (e->far && e->far[i] && j->share > 0) {
        goal_add(g, w_goal_near_missed());
        g->pass = false;
        j->share = 0;
    }
    if (surely_right(e) || !(j->share > 0)) return;
    goal_add(g, e->outputs_right ? w_goal_once_no_luck() : w_goal_once_right());
    g->pass = false;
    j->share = 0;
}

/* How much worse than its limit a figure may be in a near case. A last block that is not full, rows
 * that begin inside a sector and a fixed cost weigh more at one size than at another. In times, it
 * also matters how many blocks are left for the last round. */
static const double NEAR_COUNT = 1.5, NEAR_SPEED = 2;

/* A limit that is a plain number is meant for the timed case: it moves as the baseline's figure. */
static double near_limit(const grade_goal *g, const goal_near *near, bool least) {
    if (g->relative || g->than) return g->threshold * near->base->value;
    if (near->base->status != METRIC_OK || near->timed->status != METRIC_OK ||
        !(near->timed->value > 0) || !(near->base->value > 0))
        return g->threshold;
    double moved = near->base->value / near->timed->value;
    return g->threshold * (least ? fmin(moved, 1) : fmax(moved, 1));
}

bool grade_goal_far(const grade_goal *g, const goal_near *near) {
    const grade_metric_value *mine = near->mine;
    bool relative = g->relative || g->than,
         least = g->relation == GRADE_GE || g->relation == GRADE_GT;
    if (g->kind == GRADE_GOAL_SPEEDUP)
        return near->speedup > 0 && near->speedup * NEAR_SPEED < g->threshold;
    if (!grade_goal_counted(g) || g->relation == GRADE_EQ) return false;
    if (mine->status == METRIC_NO_LAUNCH || mine->status == METRIC_UNDEFINED) return true;
    if (mine->status != METRIC_OK || (relative && near->base->status != METRIC_OK)) return false;
    double limit = near_limit(g, near, least);
    return least ? mine->value * NEAR_COUNT < limit : mine->value > limit * NEAR_COUNT;
}

static goal_judged judge_goal(grade_result *r, size_t i, const grade_evidence *e) {
    grade_goal_result *g = &r->goals[i];
    const goal_kind *kind = goal_kind_of(g->goal);
    goal_judged j = {0};
    g->pass = false;
    g->expected = g->goal->threshold;
    if (kind->figure) judge_figure(r, i, e, kind, &j);
    else kind->judge(r, i, e, &j);
    return j;
}

void grade_judge(grade_result *r, const grade_evidence *e) {
    bool all = true, ambiguous = false, unknown = false;
    r->score = r->max_score = 0;
    if (r->lab && r->goal_count > r->lab->goal_count) r->goal_count = r->lab->goal_count;
    for (size_t i = 0; i < r->goal_count; i++) {
        grade_goal_result *g = &r->goals[i];
        double points = g->goal->points;
        goal_judged j = judge_goal(r, i, e);
        g->points = floor(j.share * points * 100 + 0.5) / 100;
        if (j.share < 1 && g->points >= points && points > 0) g->points = points - 0.01;
        all = all && g->pass;
        unknown = unknown || j.unknown;
        g->undecided = j.unsure && surely_right(e);
        ambiguous = ambiguous || g->undecided;
        r->score += g->points;
        r->max_score += points;
    }
    if (e->measured && surely_right(e)) goal_keep_by_mains(r);
    all = goal_slowest_met(r, e) && all;
    if (r->verdict == GRADE_ERROR || r->verdict == GRADE_SUSPECT) return;
    if (unknown && e->outputs_right) {
        r->verdict = GRADE_ERROR;
        r->ungradable = true;
        lib_message_set(&r->message, w_goal_peak_not_known(r->device));
        return;
    }
    r->verdict = ambiguous ? GRADE_AMBIGUOUS : all && surely_right(e) ? GRADE_PASS : GRADE_FAIL;
}

bool grade_fails_surely(const grade_result *r) {
    if (r->verdict != GRADE_AMBIGUOUS) return r->verdict == GRADE_FAIL;
    for (size_t i = 0; i < r->goal_count; i++)
        if (!r->goals[i].pass && !r->goals[i].undecided) return true;
    return false;
}

void grade_result_init(grade_result *r, const grade_lab *lab, const grade_options *o) {
    memset(r, 0, sizeof *r);
    r->verdict = GRADE_FAIL;
    r->lab = lab;
    r->build_ok = true;
    if (o) {
        lib_say(r->device, sizeof r->device, "%s", o->device ? o->device : "");
        r->seed = o->seed;
        r->secret = o->secret;
    }
    r->goals = calloc(lab->goal_count + 1, sizeof *r->goals); /* and the lab's `slowest` */
    if (!r->goals) return;
    r->goal_count = lab->goal_count;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        r->goals[i].goal = g;
        const goal_kind *kind = goal_kind_of(g);
        r->goals[i].expected = kind->figure || kind->quiz ? g->threshold : 1;
        r->max_score += g->points;
        lib_message_set(&r->goals[i].message, w_goal_not_judged());
    }
}

void grade_answers(const grade_lab *lab, const grade_options *o, grade_result *r) {
    grade_result_free(r);
    grade_result_init(r, lab, o);
    grade_evidence e = {.outputs_right = true, .submission = o->submission, .truths = o->truths};
    grade_judge(r, &e);
}
