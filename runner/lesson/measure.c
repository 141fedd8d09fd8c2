/* See measure.h. */
#include "runner/lesson/measure.h"

#include <stdio.h>
#include <string.h>

void measure_init(measure *m, const lab *l, const grade_param *params, size_t param_count,
                  const char *const *counters, size_t n) {
    *m = (measure){.lab = l->grade};
    if (n > MEASURE_COUNTERS) n = MEASURE_COUNTERS;
    /* A goal that nothing misses: its "actual" is what is wanted. */
    for (size_t i = 0; i < n; i++)
        m->goals[i] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                                   .name = counters[i],
                                   .relation = GRADE_GE,
                                   .threshold = 0,
                                   .points = 1};
    m->lab.goals = m->goals;
    m->lab.goal_count = n;
    m->lab.range_count = m->lab.hidden_cases = 0;
    m->lab.forbidden_count = 0;
    for (size_t i = 0; i < l->grade.case_count; i++)
        if (l->grade.cases[i].timed) m->one = l->grade.cases[i];
    if (param_count) {
        if (param_count > MEASURE_PARAMS) param_count = MEASURE_PARAMS;
        memcpy(m->params, params, param_count * sizeof *params);
        m->one.params = m->params;
        m->one.param_count = param_count;
    }
    m->one.timed = true;
    m->lab.cases = &m->one;
    m->lab.case_count = 1;
}

bool measure_ran(const grade_result *r) {
    return r->build_ok && r->verdict != GRADE_ERROR && r->counters.warp_inst > 0;
}

void measure_source(const lab *l, const char *root, const lab_measure *m, const char *mine,
                    char *path, size_t n) {
    const char *from = m->of == LAB_OF_MINE       ? mine
                       : m->of == LAB_OF_BASELINE ? l->baseline_path
                       : m->of == LAB_OF_ANSWER   ? l->answer_path
                       : m->of == LAB_OF_SKELETON ? l->skeleton_path
                                                  : NULL;
    if (from) snprintf(path, n, "%s", from);
    else snprintf(path, n, "%s/%s", root, m->file);
}
