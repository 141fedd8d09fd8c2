/* A lab narrowed to one case and to the counters somebody wants to see: questions, predictions,
 * pictures and the prover measure so.
 *
 *   lab + case + counter names --measure_init--> grade_lab with a goal per counter
 *                              --grading-------> goals[i].actual is counter i */
#ifndef WARPLAB_MEASURE_H
#define WARPLAB_MEASURE_H

#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "grader/result.h"

enum { MEASURE_COUNTERS = 16, MEASURE_PARAMS = 8 };
typedef struct {
    grade_lab lab; /* points into this struct: it must not move */
    grade_goal goals[MEASURE_COUNTERS];
    grade_case one;
    grade_param params[MEASURE_PARAMS];
} measure;

/* program: NULL, or the lesson's own one. No parameters: the lab's timed case. */
void measure_init(measure *m, const lab *l, const lab_program *program, const grade_param *params,
                  size_t param_count, const char *const *counters, size_t n);
/* The program did run, so its counters mean something (its outputs may be wrong all the same). */
bool measure_ran(const grade_result *r);
/* The file of a program that a lesson names. `mine`: the student's file. */
void measure_source(const lab *l, const lab_measure *m, const char *mine, char *path, size_t n);
/* What its outputs are compared with. */
void measure_baseline(const lab *l, const lab_measure *m, char *path, size_t n);

/* Grades a submission to the lab: what its answers are about is measured first. As grading_run(). */
grade_verdict lab_grade(lab *l, const char *source, const grading_options *o, grade_result *r);

#endif
