/* Fills a grade_result with findings, lines and launches. The result owns their texts. */
#ifndef WARPLAB_GRADER_RESULT_H
#define WARPLAB_GRADER_RESULT_H

#include "runner/device/server/device.h"
#include "grader/result.h"

/* Returns a copy that the result owns; "" if s is NULL. */
const char *result_string(grade_result *r, const char *s);
void result_add_findings(grade_result *r, const sim_finding *f, size_t n);
/* result_set_ops sets the timeline, result_set_launches counters, lines and launches. */
void result_set_ops(grade_result *r, const dev_record *records, size_t n);
void result_set_launches(grade_result *r, const dev_record *records, size_t n);

/* Completes the result of a grading on a GPU with that on the simulated device. The GPU has outputs
 * and times; counters, findings and lines come from the simulated device, and goals about counters
 * are judged there. */
void result_explain(grade_result *r, const grade_result *by);

#endif
