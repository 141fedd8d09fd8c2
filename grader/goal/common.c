/* What several kinds share: comparison of values, partial points, limits of points, and the advice
 * at the end of messages. */
#include <math.h>
#include <string.h>
#include "grader/goal/kind.h"

const char *grade_relation_text(grade_relation rel) {
    static const char *const text[] = {"<=", "<", "==", ">=", ">"};
    return text[rel];
}

bool grade_holds(double v, grade_relation rel, double t) {
    double slack = 1e-9 * fabs(t); /* 0.1 + 0.2 must equal 0.3 */
    switch (rel) {
    case GRADE_LE: return v <= t + slack;
    case GRADE_LT: return v < t - slack;
    case GRADE_EQ: return fabs(v - t) <= slack;
    case GRADE_GE: return v >= t - slack;
    case GRADE_GT: return v > t + slack;
    }
    return false;
}

/* value, full_at and none_at are speeds. The points fall linearly with the time, which is 1 /
 * speed. */
double grade_curve(double value, double full_at, double none_at) {
    if (!(full_at > 0) || !(none_at > 0) || none_at >= full_at) return 0;
    if (value >= full_at) return 1;
    if (value <= none_at) return 0;
    return (1 / none_at - 1 / value) / (1 / none_at - 1 / full_at);
}

const grade_launch *goal_longest(const grade_result *r) {
    const grade_launch *longest = NULL;
    for (size_t i = 0; i < r->launch_count; i++)
        if (!longest || r->launches[i].time_us > longest->time_us) longest = &r->launches[i];
    return longest;
}

void goal_keep_at_most(grade_result *r, size_t n, double most) {
    double share = r->score > 0 ? most / r->score : 1, earned = 0, kept = 0;
    if (share >= 1) return;
    for (size_t i = 0; i < n; i++) {
        grade_goal_result *g = &r->goals[i];
        earned += g->points;
        /* rounded down to hundredths, so that they add up to the score */
        double upto = floor(earned * share * 100 + 1e-6) / 100;
        g->points = round((upto - kept) * 100) / 100;
        kept = upto;
    }
    r->score = kept;
}

void goal_add(grade_goal_result *g, lib_words words) {
    lib_message more;
    lib_message_set(&more, words);
    lib_message_set(&g->message, w_goal_and_then(&g->message, &more));
}

void goal_advise(grade_goal_result *g, lib_word_id ours) {
    const char *const *own = g->goal->message;
    if (own[LIB_EN]) {
        if (*own[LIB_EN]) goal_add(g, lib_words_plain((lib_texts){{own[LIB_EN], own[LIB_ZH]}}));
    } else if (ours) goal_add(g, lib_words_of(ours));
}

/* Adds advice for a call that is too slow: the limiter of the launch that took longest. */
void goal_advise_speed(grade_goal_result *g, const grade_result *r) {
    const grade_launch *longest = goal_longest(r);
    lib_word_id slow = longest ? lib_words_named("slow", longest->limiter) : 0;
    goal_advise(g, slow ? slow : W_GOAL_PROFILE_IT);
}
