/* What a lab asks, as the judge needs it; what lessons need of it is public (grader/lab.h). In: a
 * grade_lab and the seeds. Out: counts, the cases to run, what each input buffer holds. */
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
/* Evaluates a buffer's element count: whole, 0 .. 2^40. NULL counts as 0. */
bool grade_expr_count(const grade_expr *e, const char *what, const grade_param *params, size_t n,
                      uint64_t *count, lib_message *msg);

/* ---- cases.c ---- */
/* The public cases in order, then the hidden ones drawn with the options' secret. Names and values
 * are malloc'ed into each result. */
bool grade_draw_cases(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                      size_t *count, lib_message *msg);

/* ---- inputs.c ---- */
/* Fills `count` elements of argument `arg`; `label` names seed, case and set of inputs ("case 3/set
 * 1"). */
bool grade_fill(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                uint64_t count, uint64_t seed, const char *label, void *out, lib_message *msg);
double grade_half_to_double(uint16_t h);
uint16_t grade_double_to_half(double v);
/* Element i of a buffer, for comparison and messages. */
double grade_element(grade_type t, const void *data, uint64_t i);

#endif
