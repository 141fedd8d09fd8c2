/* What a lab's author got wrong, found before a student meets it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/goal/goal.h"
#include "grader/judge/buffers.h"
#include "grader/lab/inputs.h"

static bool wrong(lib_message *msg, const char *id, const char *what, const char *name) {
    lib_message_say(msg, "lab %s: %s%s%s%s", id, what, name ? " '" : "", name ? name : "",
                    name ? "'" : "");
    return false;
}

static bool check_case(const grade_lab *lab, const grade_param *params, size_t n,
                       lib_message *msg) {
    uint64_t total = 0;
    char name[160];
    lib_message why = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        uint64_t count = 0;
        double v;
        if (a->role == GRADE_SCALAR)
            ok = !a->value || grade_expr_eval(a->value, params, n, &v, &why);
        else ok = grade_expr_count(a->count, a->name, params, n, &count, &why);
        if (ok && a->ops) ok = grade_expr_eval(a->ops, params, n, &v, &why);
        if (ok && a->lo_expr) ok = grade_expr_eval(a->lo_expr, params, n, &v, &why);
        if (ok && a->hi_expr) ok = grade_expr_eval(a->hi_expr, params, n, &v, &why);
        total += count * grade_type_size(a->type);
        if (ok && total > (uint64_t)8 << 30) {
            lib_say(why.text, sizeof why.text, "the buffers take more than 8 GiB");
            ok = false;
        }
    }
    if (ok) return true;
    case_name(params, n, name, sizeof name);
    lib_message_say(msg, "lab %s, case %s: %s", lab->id, name, why.text);
    return false;
}

/* Without an entry: only goals that are answers. */
static bool check_answers(const grade_lab *lab, lib_message *msg) {
    double points = 0;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        if (!grade_goal_in_words(g))
            return wrong(msg, lab->id, "without an `entry` its goals can only be answers, not",
                         grade_goal_kind_name(g->kind));
        points += g->points;
    }
    return points > 0 || wrong(msg, lab->id, "its goals give no points", NULL);
}

static bool check_goals(const grade_lab *lab, lib_message *msg) {
    bool correct = false, timed = false;
    double points = 0;
    char why[200];
    for (size_t i = 0; i < lab->case_count; i++) timed = timed || lab->cases[i].timed;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        if (!(g->points >= 0) || !isfinite(g->points))
            return wrong(msg, lab->id, "a goal's points are not a number of 0 or more", NULL);
        points += g->points;
        if (grade_goal_correctness(g) && g->points > 0) correct = true;
        if (grade_goal_timed(g) && !timed)
            return wrong(msg, lab->id, "a goal of speed needs a case that is timed", NULL);
        if (!grade_goal_check(g, why, sizeof why)) return wrong(msg, lab->id, why, NULL);
    }
    if (!correct)
        return wrong(msg, lab->id,
                     "it has no goal of correctness with points: `correct { points = ... }`", NULL);
    return points > 0 || wrong(msg, lab->id, "its goals give no points", NULL);
}

bool grade_lab_check(const grade_lab *lab, lib_message *msg) {
    msg->text[0] = 0;
    bool output = false;
    if (!lab->entry) return check_answers(lab, msg);
    if (!lab->case_count) return wrong(msg, lab->id, "it has no case", NULL);
    for (size_t i = 0; i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        output = output || a->role == GRADE_OUTPUT || a->role == GRADE_INOUT;
        if (a->role != GRADE_SCALAR && !a->count)
            return wrong(msg, lab->id, "no number of elements for the buffer", a->name);
        if (a->role == GRADE_SCALAR && a->type == GRADE_F16)
            return wrong(msg, lab->id, "a half cannot be passed by value:", a->name);
    }
    if (!output && !lab->whole_program)
        return wrong(msg, lab->id, "no argument is an output", NULL);
    if (lab->arg_count > 24) return wrong(msg, lab->id, "more than 24 arguments", NULL);
    bool quiz = lab->goal_count && grade_goal_quiz(&lab->goals[0]);
    if (!(quiz ? check_answers : check_goals)(lab, msg)) return false;
    for (size_t i = 0; i < lab->range_count; i++)
        if (!(lab->ranges[i].lo <= lab->ranges[i].hi))
            return wrong(msg, lab->id, "the range ends below its start:", lab->ranges[i].name);
    /* Every public case, and hidden ones of a few seeds. */
    bool ok = true;
    for (uint64_t seed = 1; ok && seed <= 3; seed++) {
        grade_options o = {.seed = seed};
        grade_case_result *cases = NULL;
        size_t n = 0;
        lib_message why = {0};
        if (!grade_draw_cases(lab, &o, &cases, &n, &why)) ok = wrong(msg, lab->id, why.text, NULL);
        for (size_t i = 0; ok && i < n; i++)
            ok = check_case(lab, cases[i].params, cases[i].param_count, msg);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < cases[i].param_count; k++) free((char *)cases[i].params[k].name);
            free(cases[i].params);
        }
        free(cases);
    }
    return ok;
}
