/* `correct { points = 4 }`: all cases have right outputs, without memory errors and races. A
 * finding fails the goal even if all outputs are right, because on the next device the same mistake
 * may change them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grader/goal/kind.h"

/* Whether all that has a range is in the largest tenth of it. */
static bool all_large(const grade_result *r, const grade_case_result *c) {
    bool any = false;
    for (size_t i = 0; i < r->lab->range_count; i++)
        for (size_t p = 0; p < c->param_count; p++) {
            const grade_range *in = &r->lab->ranges[i];
            if (strcmp(c->params[p].name, in->name) != 0 || !(in->hi > in->lo) || in->from_count)
                continue;
            if (c->params[p].value < in->hi - 0.1 * (in->hi - in->lo)) return false;
            any = true;
        }
    return any;
}

/* What a student may know of the size of a hidden case: "the smallest size", for example. */
static lib_word_id hidden_size(const grade_result *r, const grade_case_result *c) {
    if (all_large(r, c)) return W_GOAL_SIZE_LARGEST;
    for (size_t i = 0; i < r->lab->range_count; i++)
        for (size_t p = 0; p < c->param_count; p++) {
            const grade_range *in = &r->lab->ranges[i];
            if (strcmp(c->params[p].name, in->name) != 0 || in->from_count) continue;
            if (c->params[p].value == r->lab->ranges[i].lo) return W_GOAL_SIZE_SMALLEST;
            if (fmod(c->params[p].value, 32) != 0) return W_GOAL_SIZE_ODD;
        }
    return W_GOAL_SIZE_OTHER;
}

/* The outputs are right only by luck: on another device the finding would make them wrong. */
static lib_words by_luck(const grade_result *r, const sim_finding *f, lib_message *told) {
    if (grade_finding_hidden(r, (size_t)(f - r->findings)))
        return w_goal_by_luck_hidden(grade_finding_title(f->kind));
    *told = f->said;
    return w_goal_by_luck(told);
}

static void correct_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    size_t wrong = 0;
    const grade_case_result *first = NULL, *first_hidden = NULL;
    for (size_t k = 0; k < r->case_count; k++) {
        if (r->cases[k].pass) continue;
        wrong++;
        if (!r->cases[k].hidden && !first) first = &r->cases[k];
        if (r->cases[k].hidden && !first_hidden) first_hidden = &r->cases[k];
    }
    g->expected = 1;
    g->actual = r->case_count ? (double)(r->case_count - wrong) / (double)r->case_count : 0;
    g->pass = e->outputs_right && !wrong && !e->finding;
    j->share = g->pass;
    lib_message told;
    lib_message_set(
        &g->message,
        lib_message_any(&r->message) && !g->pass && !wrong ? grade_result_said(r)
        : first ? w_goal_cases_fail((long long)wrong, (long long)r->case_count, &first->message)
        : first_hidden && first_hidden->extremes ? w_goal_hidden_fail_values()
        : first_hidden ? w_goal_hidden_fail((long long)wrong, hidden_size(r, first_hidden))
        : e->finding   ? by_luck(r, e->finding, &told)
                       : w_goal_all_right((long long)r->case_count));
    /* A refused launch is easy to miss. It has no output and no finding, only an error code that
     * the program did not check. */
    if (first && grade_result_nothing_ran(r)) goal_add(g, w_goal_no_kernel_ran());
    if (!g->pass) goal_advise(g, 0);
}

static lib_words correct_sentence(const grade_goal *g) {
    (void)g;
    return w_goal_asks_correct();
}

static lib_words correct_title(const char *name, const char *relation, double expected) {
    (void)name, (void)relation, (void)expected;
    return w_goal_title_correct();
}

const goal_kind goal_correct = {
    .words = {{"correct", NULL, "points en zh",
               "Every case agrees, without a memory error and without a race."}},
    .correctness = true,
    .judge = correct_judge,
    .sentence = correct_sentence,
    .title = correct_title,
};
