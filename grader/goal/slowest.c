/* slowest(3) { en zh }: how many times the baseline's time a call may take. It gives no points: a
 * call that takes longer keeps at most half of those that it earned, because a goal that names a
 * counter says nothing about a program that avoids it in a much slower way.
 *
 * Every lab has this goal (grade_lab.slowest). A result lists it only if it is missed. */
#include <math.h>
#include "grader/goal/kind.h"

static const double KEEPS = 0.5;

bool goal_slowest_met(grade_result *r, const grade_evidence *e) {
    const grade_goal *goal = &r->lab->slowest;
    if (!(goal->threshold > 0) || !e->measured || !e->outputs_right) return true;
    if (!(r->time_us > 0) || !(r->baseline_us > 0)) return true;
    /* of measured times, only what is sure */
    double times = e->sampled && r->ci_hi > 0 ? 1 / r->ci_hi : r->time_us / r->baseline_us;
    if (grade_holds(times, GRADE_LE, goal->threshold)) return true;
    goal_keep_at_most(r, r->goal_count, KEEPS * r->max_score);
    grade_goal_result *g = &r->goals[r->goal_count++];
    *g = (grade_goal_result){.goal = goal, .expected = goal->threshold, .actual = times};
    lib_message_set(&g->message,
                    w_goal_slowest(times, r->time_us, r->baseline_us, goal->threshold));
    goal_advise(g, 0);
    return false;
}

static void slowest_read(goal_source *s, grade_goal *g) {
    g->relation = GRADE_LE;
    g->threshold = s->number(s, "threshold", 0, true);
}

static lib_words slowest_check(const grade_goal *g) {
    bool ok = g->threshold == 0 || (g->threshold >= 1 && isfinite(g->threshold));
    if (ok) return (lib_words){0};
    return w_goal_slowest_at_least();
}

/* Never asked: goal_slowest_met() judges it after all others. */
static void slowest_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    (void)r, (void)i, (void)e;
    j->share = 1;
}

static lib_words slowest_sentence(const grade_goal *g) {
    return w_goal_asks_slowest(g->threshold);
}

static lib_words slowest_title(const char *name, const char *relation, double expected) {
    (void)name, (void)relation;
    return w_goal_title_slowest(expected);
}

/* How many times as long it might take. */
static bool slowest_room(const grade_goal_result *r, double *room) {
    *room = r->actual > 0 ? r->expected / r->actual : HUGE_VAL;
    return true;
}

const goal_kind goal_slowest = {
    .words = {{"slowest", "threshold", "name threshold en zh",
               "If a call takes more than this many times the baseline's time, the submission gets "
               "at most half of all points. Every lab has it, with 6; 0 switches it off. The text "
               "says why."}},
    .figure = true,
    .timed = true,
    .rule = true,
    .read = slowest_read,
    .check = slowest_check,
    .judge = slowest_judge,
    .sentence = slowest_sentence,
    .title = slowest_title,
    .room = slowest_room,
};
