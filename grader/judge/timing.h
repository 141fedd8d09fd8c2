/* Measured times: medians and their intervals. */
#ifndef WARPLAB_GRADER_TIMING_H
#define WARPLAB_GRADER_TIMING_H

#include <stddef.h>

typedef struct {
    double ratio, lo, hi; /* baseline / submission, of the medians, with its 95% interval */
    double student, baseline;
    double student_lo, student_hi; /* 95% interval of the submission's median */
} grade_ratio;
/* Computes the ratio by a percentile bootstrap. Its random numbers always start from the same seed,
 * so the same samples give the same interval. n >= 1 samples of each. */
void grade_bootstrap(const double *student, const double *baseline, size_t n, grade_ratio *out);

#endif
