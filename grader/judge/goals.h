/* From what was measured to points and verdict. */
#ifndef WARPLAB_GRADER_GOALS_H
#define WARPLAB_GRADER_GOALS_H

#include "grader/lab.h"
#include "grader/result.h"
#include "grader/judge/metrics.h"
#include "grader/grade.h"

typedef struct {
    metric_status status;
    double value;
} grade_metric_value;
typedef struct {
    bool outputs_right;                           /* every case, every set of inputs */
    bool measured;                                /* the timed case was run */
    const grade_metric_value *student, *baseline; /* per goal of the lab; counter goals only */
    double copy_gbs, fp32_gflops;                 /* of the device; 0: not known */
    double useful_bytes, useful_flops;            /* of the timed case */
    const sim_finding *finding;                   /* not NULL: the first that forbids full marks */
    bool sampled;                                 /* times are measured: r->ci_lo, ci_hi hold */
    const grade_result *explained;                /* goals of counters were judged there; or NULL */
    const char *submission;                       /* as in grade_options */
    const grade_truth *truths;
} grade_evidence;
/* Fills r->goals, the score and the verdict, unless that is already ERROR or SUSPECT (then goals
 * say what was measured). */
void grade_judge(grade_result *r, const grade_evidence *e);
double grade_curve(double value, double full_at, double none_at); /* share of the points, 0..1 */
bool grade_holds(double value, grade_relation rel, double threshold);

#endif
