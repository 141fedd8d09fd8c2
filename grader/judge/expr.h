/* Expressions over a case's parameters as counts; the rest of expr.c is public (grade.h). */
#ifndef WARPLAB_GRADER_EXPR_H
#define WARPLAB_GRADER_EXPR_H

#include "grader/grade.h"

/* Evaluates a buffer's element count: whole, 0 .. 2^40. NULL counts as 0. */
bool grade_expr_count(const grade_expr *e, const char *what, const grade_param *params, size_t n,
                      uint64_t *count, lib_message *msg);

#endif
