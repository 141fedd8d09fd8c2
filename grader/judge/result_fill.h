/* Filling a grade_result: findings, lines and launches, their texts owned by the result. */
#ifndef WARPLAB_GRADER_RESULT_H
#define WARPLAB_GRADER_RESULT_H

#include "runner/device/server/device.h"
#include "grader/result.h"

/* a copy that the result owns; "" when s is NULL */
const char *result_string(grade_result *r, const char *s);
void result_add_findings(grade_result *r, const sim_finding *f, size_t n);
/* counters, lines and launches */
void result_set_ops(grade_result *r, const dev_record *records, size_t n);
void result_set_launches(grade_result *r, const dev_record *records, size_t n);

/* A grading on a GPU, explained by one on the simulated device: the GPU gives outputs and times, the
 * simulated device what no GPU says by itself (counters, findings, lines). Goals of counters are
 * judged there. */
void result_explain(grade_result *r, const grade_result *by);

#endif
