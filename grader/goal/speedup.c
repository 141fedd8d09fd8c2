/* speedup(1.5) { points = 3 }: at least this many times as fast as the baseline on the same device.
 * Points begin at `none`; at `full` the goal has all points. */
#include <string.h>
#include "grader/goal/kind.h"

void goal_read_curve(goal_source *s, grade_goal *g) {
    g->relation = GRADE_GE;
    g->threshold = s->number(s, "threshold", 0, true);
    g->full_at = s->number(s, "full", g->threshold, false);
    g->none_at = s->number(s, "none", g->threshold / 10, false);
}

lib_words goal_check_curve(const grade_goal *g) {
    return g->full_at > 0 && g->none_at > 0 && g->none_at >= g->full_at ? w_goal_curve_order()
                                                                        : (lib_words){0};
}

static void speedup_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    (void)e;
    grade_goal_result *g = &r->goals[i];
    double asked = g->goal->threshold;
    char shown[32];
    lib_message want;
    g->actual = r->speedup;
    g->pass = grade_holds(g->actual, GRADE_GE, g->goal->threshold);
    j->share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    lib_figure(shown, 3, g->actual); /* "one time as fast" is worded "as fast" */
    lib_message_set(&want,
                    asked == 1 ? w_goal_speed_asked_same() : w_goal_speed_asked_times(asked));
    lib_message_set(&g->message,
                    !(r->time_us > 0) ? w_goal_speed_nothing_done(&want)
                    : j->unsure       ? w_goal_speed_undecided(r->ci_lo, r->ci_hi, asked)
                    : !strcmp(shown, "1")
                        ? w_goal_speed_same(r->time_us, r->baseline_us, &want)
                        : w_goal_speed_times(g->actual, r->time_us, r->baseline_us, &want));
    if (!(r->time_us > 0) || j->unsure) return;
    if (!g->pass) goal_advise_speed(g, r);
}

static void speedup_interval(const grade_goal *g, const grade_evidence *e, const grade_ratio *q,
                             double *lo, double *hi) {
    (void)g, (void)e;
    *lo = q->lo, *hi = q->hi;
}

static lib_words speedup_sentence(const grade_goal *g) {
    return g->threshold == 1 ? w_goal_asks_no_slower() : w_goal_asks_speed(g->threshold);
}

static lib_words speedup_title(const char *name, const char *relation, double expected) {
    (void)name, (void)relation;
    return w_goal_title_speed(expected);
}

const goal_kind goal_speedup = {
    .words = {{"speedup", "threshold", "name threshold points full none en zh",
               "That many times as fast as the baseline on the same device."}},
    .figure = true,
    .timed = true,
    .read = goal_read_curve,
    .check = goal_check_curve,
    .judge = speedup_judge,
    .interval = speedup_interval,
    .sentence = speedup_sentence,
    .title = speedup_title,
};
