/* Reduces a lab to one case and to the counters that are wanted. Questions, predictions, pictures
 * and the prover measure in this way.
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

/* program: one of the lesson's own programs, or NULL. Without parameters it is the lab's timed
 * case. */
void measure_init(measure *m, const lab *l, const lab_program *program, const grade_param *params,
                  size_t param_count, const char *const *counters, size_t n);
/* Returns whether the program ran, so that its counters are valid. Its outputs may still be
 * wrong. */
bool measure_ran(const grade_result *r);
/* Writes the path of the program to measure. `mine`: the student's file. */
void measure_source(const lab *l, const lab_measure *m, const char *mine, char *path, size_t n);
/* Writes the path of the program with which its outputs are compared. */
void measure_baseline(const lab *l, const lab_measure *m, char *path, size_t n);

/* Grades a submission. First measures what its answers are compared with. Otherwise as
 * grading_run(). */
grade_verdict lab_grade(lab *l, const char *source, const grading_options *o, grade_result *r);

#endif
