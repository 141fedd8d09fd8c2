/* What a submission answers in words, judged against what the device measured.
 *
 *   `// answer NAME: VALUE` --grade_answer_find--> value --answer_judge, a grade_truth--> points */
#ifndef WARPLAB_GRADER_ANSWERS_H
#define WARPLAB_GRADER_ANSWERS_H

#include "grader/judge/goals.h"
#include "grader/result.h"

/* Fills r->goals[i], a goal of GRADE_GOAL_ANSWER; returns the share of its points. */
double answer_judge(grade_result *r, size_t i, const grade_evidence *e);

#endif
