/* Finds mistakes of a lab's author before a student meets them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/goal/goal.h"
#include "grader/judge/buffers.h"
#include "grader/lab/inputs.h"
#include "words/goal.h"

static bool wrong(lib_message *msg, const grade_lab *lab, lib_words what) {
    lib_message why;
    lib_message_set(&why, what);
    lib_message_set(msg, w_goal_lab_wrong(lab->id, &why));
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
            lib_message_set(&why, w_goal_lab_buffers());
            ok = false;
        }
    }
    if (ok) return true;
    case_name(params, n, name, sizeof name);
    lib_message_set(msg, w_goal_lab_case_wrong(lab->id, name, &why));
    return false;
}

/* A lab without an entry may only have goals about answers. */
static bool check_answers(const grade_lab *lab, lib_message *msg) {
    double points = 0;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        if (!grade_goal_in_words(g))
            return wrong(msg, lab, w_goal_lab_only_answers(grade_goal_kind_name(g->kind)));
        points += g->points;
    }
    return points > 0 || wrong(msg, lab, w_goal_lab_no_points());
}

static bool check_goals(const grade_lab *lab, lib_message *msg) {
    bool correct = false, timed = false;
    double points = 0;
    lib_message why;
    for (size_t i = 0; i < lab->case_count; i++) timed = timed || lab->cases[i].timed;
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        if (!(g->points >= 0) || !isfinite(g->points)) return wrong(msg, lab, w_goal_lab_points());
        points += g->points;
        if (grade_goal_correctness(g) && g->points > 0) correct = true;
        if (grade_goal_timed(g) && !timed) return wrong(msg, lab, w_goal_lab_no_timed_case());
        if (!grade_goal_check(g, &why)) return wrong(msg, lab, lib_message_words(&why));
    }
    if (!correct) return wrong(msg, lab, w_goal_lab_no_correctness());
    return points > 0 || wrong(msg, lab, w_goal_lab_no_points());
}

static void free_cases(grade_case_result *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < cases[i].param_count; k++) free((char *)cases[i].params[k].name);
        free(cases[i].params);
    }
    free(cases);
}

bool grade_lab_check(const grade_lab *lab, lib_message *msg) {
    *msg = (lib_message){0};
    bool output = false;
    if (!lab->entry) return check_answers(lab, msg);
    if (!lab->case_count) return wrong(msg, lab, w_goal_lab_no_case());
    for (size_t i = 0; i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        output = output || a->role == GRADE_OUTPUT || a->role == GRADE_INOUT;
        if (a->role != GRADE_SCALAR && !a->count)
            return wrong(msg, lab, w_goal_lab_no_count(a->name));
        if (a->role == GRADE_SCALAR && a->type == GRADE_F16)
            return wrong(msg, lab, w_goal_lab_half_by_value(a->name));
    }
    if (!output && !lab->whole_program) return wrong(msg, lab, w_goal_lab_no_output());
    if (lab->arg_count > 24) return wrong(msg, lab, w_goal_lab_many_arguments());
    bool quiz = lab->goal_count && grade_goal_quiz(&lab->goals[0]);
    if (!(quiz ? check_answers : check_goals)(lab, msg)) return false;
    for (size_t i = 0; i < lab->range_count; i++)
        if (!(lab->ranges[i].lo <= lab->ranges[i].hi))
            return wrong(msg, lab, w_goal_lab_range(lab->ranges[i].name));
    /* All public cases, and the hidden cases of a few seeds. */
    bool ok = true;
    for (uint64_t seed = 1; ok && seed <= 3; seed++) {
        grade_options o = {.seed = seed};
        grade_case_result *cases = NULL;
        size_t n = 0;
        lib_message why = {0};
        if (!grade_draw_cases(lab, &o, &cases, &n, &why) ||
            !grade_draw_near(lab, &o, &cases, &n, &why))
            ok = wrong(msg, lab, lib_message_words(&why));
        for (size_t i = 0; ok && i < n; i++)
            ok = check_case(lab, cases[i].params, cases[i].param_count, msg);
        free_cases(cases, n);
    }
    return ok;
}

/* ---- arguments that never vary ---- */

const char *grade_lab_fixed_parameter(const grade_lab *lab) {
    if (!lab->hidden_cases || !lab->range_count || !lab->case_count) return NULL;
    for (size_t i = 0; i < lab->cases[0].param_count; i++) {
        const char *name = lab->cases[0].params[i].name;
        bool varies = false;
        for (size_t k = 0; k < lab->range_count; k++)
            varies |= !strcmp(lab->ranges[k].name, name) && lab->ranges[k].lo < lab->ranges[k].hi;
        if (!varies) return name;
    }
    return NULL;
}

static bool scalar_varies(const grade_arg *a, const grade_case_result *cases, size_t n) {
    double first = 0, v = 0;
    lib_message ignored;
    for (size_t i = 0; i < n; i++) {
        if (!grade_expr_eval(a->value, cases[i].params, cases[i].param_count, &v, &ignored))
            return true; /* told elsewhere */
        if (!i) first = v;
        else if (v != first) return true;
    }
    return false;
}

/* The main function of a whole program gets the length of each buffer behind it (glue_program.c);
 * that of a buffer of one element is always 1. */
static bool scalar_is_length(const grade_lab *lab, const grade_arg *a) {
    size_t n = strlen(a->name), end = strlen("_count");
    if (!lab->whole_program || n <= end || strcmp(a->name + n - end, "_count") != 0) return false;
    for (size_t i = 0; i < lab->arg_count; i++) {
        const grade_arg *of = &lab->args[i];
        if (of->role != GRADE_SCALAR && strlen(of->name) == n - end &&
            !memcmp(of->name, a->name, n - end))
            return true;
    }
    return false;
}

const char *grade_lab_constant_scalar(const grade_lab *lab) {
    grade_options o = {.seed = 1};
    grade_case_result *cases = NULL;
    size_t n = 0;
    lib_message ignored;
    const char *found = NULL;
    bool drawn = grade_draw_cases(lab, &o, &cases, &n, &ignored);
    for (size_t i = 0; drawn && !found && i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        if (a->role == GRADE_SCALAR && a->value && !scalar_is_length(lab, a) &&
            !scalar_varies(a, cases, n))
            found = a->name;
    }
    free_cases(cases, n);
    return found;
}
