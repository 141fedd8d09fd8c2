/* A lab's main goals, and what a program keeps that misses one.
 *
 * The main goals ask for the technique that the lab teaches. Without this rule, a program that does
 * not use the technique would earn most points by the outputs and by the other goals. */
#include <math.h>
#include "grader/goal/kind.h"

/* A goal that is worth less of the lab's points than this is no main goal. */
static const double LEAST_SHARE = 0.2;

bool grade_goal_main(const grade_lab *lab, const grade_goal *g) {
    double all = 0, most = 0;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *other = &lab->goals[i];
        all += other->points;
        if (grade_goal_figure(other)) most = fmax(most, other->points);
    }
    return grade_goal_figure(g) && g->points > 0 && g->points >= most &&
           g->points >= LEAST_SHARE * all;
}

void goal_keep_by_mains(grade_result *r) {
    grade_goal_result *least = NULL;
    double share = 1;
    for (size_t i = 0; i < r->goal_count; i++) {
        grade_goal_result *g = &r->goals[i];
        double earned = g->goal->points > 0 ? g->points / g->goal->points : 1;
        if (g->pass || earned >= share || !grade_goal_main(r->lab, g->goal)) continue;
        share = earned, least = g;
    }
    double most = r->max_score * (1 + share) / 2;
    if (!least || r->score <= most) return;
    goal_add(least, w_goal_main_missed(most, r->max_score));
    goal_keep_at_most(r, r->goal_count, most);
}
