/* Which cases are run: the public ones and those drawn for this grading. */
#ifndef WARPLAB_GRADER_CASES_H
#define WARPLAB_GRADER_CASES_H

#include "grader/grade.h"

/* The public cases in order, then the hidden ones drawn with the options' secret. Names and values
 * are malloc'ed into each result. */
bool grade_draw_cases(const grade_lab *lab, const grade_options *o, grade_case_result **cases,
                      size_t *count, lib_message *msg);

#endif
