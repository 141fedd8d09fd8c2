/* What a lab asks, for the judge; grader/lab.h has what lessons need. In: a grade_lab and the
 * seeds. Out: counts, the cases to run, the contents of input buffers. */
#ifndef WARPLAB_GRADER_INPUTS_H
#define WARPLAB_GRADER_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"

/* ---- expr.c ---- */
/* Evaluates the element count of a buffer: whole, 0 to 2^40. Returns false and sets *msg otherwise;
 * `what` names the buffer. e NULL: 0. */
bool grade_expr_count(const grade_expr *e, const char *what, const grade_param *params, size_t n,
                      uint64_t *count, lib_message *msg);

/* ---- cases.c ---- */
/* Returns the public cases in order, then hidden cases drawn with the options' secret. Names and
 * values are malloc'ed for each result. */
bool grade_draw_cases(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                      size_t *count, lib_message *msg);

/* ---- near.c ---- */
/* Appends cases that are drawn with the secret, if there is a timed case and the lab has hidden
 * cases; none without a secret, all in a test of the lab. `near`: the sizes are near those of the
 * timed case, and goals are judged there as well (grade_goal_far). `large`: one size is larger than
 * in any other case. */
bool grade_draw_near(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                     size_t *count, lib_message *msg);

/* ---- inputs.c ---- */
/* Fills `count` elements of argument `arg`. The values follow from the seed, the lab's id and
 * `label`, which names the case and the set of inputs ("case 3/set 1"). Returns false and sets
 * *msg on an error. */
bool grade_fill(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                uint64_t count, uint64_t seed, const char *label, void *out, lib_message *msg);
/* Fills as grade_fill() does, then makes runs of 1 to `count` elements: of equal values, of the
 * ends of the range (of all that the lab promises), zeros, tiny values, and values of all sizes, of
 * which a few stand elsewhere, too. GRADE_ONE_RUN: if they are integers, one run of all elements,
 * so that the largest counts and sums occur. None in host memory: there, equal words would hide
 * what the host has computed (judge/hostwork.h). */
typedef enum { GRADE_AS_DRAWN, GRADE_RUNS, GRADE_ONE_RUN } grade_extremes;
bool grade_fill_extremes(const grade_lab *lab, size_t arg, const grade_param *params,
                         size_t n_params, uint64_t count, uint64_t seed, const char *label,
                         grade_extremes extremes, void *out, lib_message *msg);
/* IEEE 754 binary16 and back; rounds to nearest, ties to even. */
double grade_half_to_double(uint16_t h);
uint16_t grade_double_to_half(double v);
/* Element i of a buffer as a double, for comparison and messages. */
double grade_element(grade_type t, const void *data, uint64_t i);

/* ---- again.c ---- */
/* Draws another value for one of the parameters on which no buffer's size depends, the next one for
 * the next `index`: a program may look at the others only. A range with one value, and a parameter
 * without a range, stay as they are. */
void grade_draw_again(const grade_lab *lab, uint64_t seed, size_t index, grade_param *params,
                      size_t n);
/* Puts some elements of an earlier draw of the same argument and count back: the first and the last
 * one; of host memory, which has no runs, also half of the others. extremes: of the later draw. */
void grade_keep_some(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                     uint64_t count, uint64_t seed, const char *label, grade_extremes extremes,
                     const void *earlier, void *out);

#endif
