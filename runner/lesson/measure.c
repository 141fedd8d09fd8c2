/* See measure.h. */
#include "runner/lesson/measure.h"
#include "grader/grade.h"
#include "grader/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "words/lesson.h"

void measure_init(measure *m, const lab *l, const lab_program *program, const grade_param *params,
                  size_t param_count, const char *const *counters, size_t n) {
    *m = (measure){.lab = program ? program->lab : l->grade};
    if (n > MEASURE_COUNTERS) n = MEASURE_COUNTERS;
    /* Goals that are always met; "actual" is the wanted value. */
    for (size_t i = 0; i < n; i++)
        m->goals[i] = (grade_goal){.kind = GRADE_GOAL_COUNTER,
                                   .name = counters[i],
                                   .relation = GRADE_GE,
                                   .threshold = 0,
                                   .points = 1};
    m->lab.goals = m->goals;
    m->lab.goal_count = n;
    m->lab.slowest.threshold = 0;
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
    /* Gives the buffers the addresses that they have when the whole lab is graded. */
    if (!param_count && !program) {
        m->lab.before = l->grade.cases;
        while (m->lab.before_count < l->grade.case_count &&
               !l->grade.cases[m->lab.before_count].timed)
            m->lab.before_count++;
        if (m->lab.before_count == l->grade.case_count) m->lab.before_count = 0;
    }
    m->one.timed = true;
    m->lab.cases = &m->one;
    m->lab.case_count = 1;
}

bool measure_ran(const grade_result *r) {
    return r->build_ok && r->verdict != GRADE_ERROR && r->counters.warp_inst > 0;
}

void measure_source(const lab *l, const lab_measure *m, const char *mine, char *path, size_t n) {
    const char *from = m->of == LAB_OF_MINE       ? mine
                       : m->of == LAB_OF_BASELINE ? l->baseline_path
                       : m->of == LAB_OF_ANSWER   ? l->answer_path
                       : m->of == LAB_OF_SKELETON ? l->skeleton_path
                                                  : NULL;
    if (from) snprintf(path, n, "%s", from);
    else snprintf(path, n, "%s/%s", l->root, m->file);
}

void measure_baseline(const lab *l, const lab_measure *m, char *path, size_t n) {
    if (!m->program) snprintf(path, n, "%s", l->baseline_path);
    else snprintf(path, n, "%s/%s", l->root, m->program->baseline ? m->program->baseline : m->file);
}

/* ---- what answers are compared with ---- */

enum { SOURCE_BYTES = 1 << 20 };

typedef struct {
    grade_result result;
    measure m;
    char path[800];
} truth_run;

/* Finds the line of each access in the program. Each must be in one line only. */
static bool access_lines(const char *path, const grade_said *s, grade_truth *t, lib_message *msg) {
    size_t n;
    char *text = lib_read_source(path, SOURCE_BYTES, &n, msg);
    bool ok = text != NULL;
    for (size_t i = 0; ok && i < s->access_count; i++) {
        unsigned at = 1, hits = 0;
        for (const char *p = text; *p; at++) {
            size_t len = strcspn(p, "\n");
            if (!strncmp(p, "// file: ", 9)) at = 0; /* each file counts its own lines */
            if (memmem(p, len, s->accesses[i].text, strlen(s->accesses[i].text)))
                t->lines[i] = at, hits++;
            p += len + (p[len] != 0);
        }
        ok = hits == 1;
        if (!ok)
            lib_message_set(
                msg, w_lesson_access_lines(s->accesses[i].text, hits, strrchr(path, '/') + 1));
    }
    free(text);
    return ok;
}

static bool truth_measure(lab *l, const lab_measure *m, const grade_said *s,
                          const grading_options *o, truth_run *run, lib_message *msg) {
    grade_param params[MEASURE_PARAMS];
    size_t n = 0;
    static const char *const any[] = {"warp_inst"};
    if (!lab_measure_params(l, m, NULL, params, MEASURE_PARAMS, &n, msg)) return false;
    bool number = s->kind == GRADE_SAID_NUMBER;
    measure_init(&run->m, l, m->program, params, n, number ? &s->counter : any, 1);
    char baseline[800];
    measure_baseline(l, m, baseline, sizeof baseline);
    grading_options own = *o;
    own.baseline = baseline;
    own.shown_as = strrchr(run->path, '/') + 1;
    own.answers = NULL;
    if (m->device) own.device = m->device, own.next_device = NULL;
    grading_run(&run->m.lab, run->path, &own, &run->result);
    if (measure_ran(&run->result) ||
        (s->kind == GRADE_SAID_FINDING_LINE && run->result.finding_count))
        return true;
    const grade_result *r = &run->result;
    if (lib_message_any(&r->message))
        lib_message_set(msg, w_lesson_not_measured(own.shown_as, &r->message));
    else lib_message_set(msg, w_lesson_not_run(own.shown_as));
    return false;
}

/* Finds one truth per goal. A program is measured once per goal, because each goal has its own
 * counter. */
static bool truths_find(lab *l, const char *source, const grading_options *o, truth_run **runs,
                        grade_truth *truths, lib_message *msg) {
    bool ok = true;
    for (size_t i = 0; ok && i < l->grade.goal_count && !lib_cancel_flag; i++) {
        const grade_said *s = l->grade.goals[i].said;
        if (!s || s->kind == GRADE_SAID_TEXT) continue;
        const lab_measure *m = &l->asked[i];
        truth_run *run = runs[i] = lib_malloc(sizeof *run);
        memset(run, 0, sizeof *run);
        measure_source(l, m, source, run->path, sizeof run->path);
        const char *shown = m->of == LAB_OF_MINE && o->shown_as ? o->shown_as : run->path;
        const char *slash = strrchr(shown, '/');
        /* With several files, the number tells to which file a line belongs. */
        bool several = l->grade.file_count && !m->program;
        truths[i].file = several ? NULL : slash ? slash + 1 : shown;
        if (s->access_count) ok = access_lines(run->path, s, &truths[i], msg);
        if (!ok || m->of == LAB_OF_MINE) continue;
        ok = truth_measure(l, m, s, o, run, msg);
        truths[i].measured = &run->result;
    }
    return ok;
}

grade_verdict lab_grade(lab *l, const char *source, const grading_options *o, grade_result *r) {
    bool answers = false;
    for (size_t i = 0; i < l->grade.goal_count; i++) answers |= l->grade.goals[i].said != NULL;
    if (!answers) return grading_run(&l->grade, source, o, r);
    truth_run **runs = calloc(l->grade.goal_count, sizeof *runs);
    grade_truth *truths = calloc(l->grade.goal_count, sizeof *truths);
    if (!runs || !truths) abort();
    lib_message msg = {0};
    grading_options own = *o;
    own.answers = truths;
    if (truths_find(l, source, o, runs, truths, &msg)) {
        grading_run(&l->grade, source, &own, r);
    } else {
        grade_result_init(
            r, &l->grade,
            &(grade_options){.device = o->device ? o->device : grading_device(), .seed = o->seed});
        r->verdict = GRADE_ERROR;
        r->message = msg;
    }
    for (size_t i = 0; i < l->grade.goal_count; i++)
        if (runs[i]) {
            grade_result_free(&runs[i]->result);
            free(runs[i]);
        }
    free(runs);
    free(truths);
    return r->verdict;
}
