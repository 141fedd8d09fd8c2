/* Figures of one call: counters, ratios and what the call did (grade_metric_at() lists them). */
#ifndef WARPLAB_GRADER_METRICS_H
#define WARPLAB_GRADER_METRICS_H

#include "runner/device/server/device.h"
#include "grader/lab.h"

typedef struct {
    const dev_record *records;
    size_t count;
    double busy_us, elapsed_us;
    double out_bytes; /* of the lab's outputs; 0: not known */
} grade_call_log;
/* FOR_SHOW: of a kernel that is the measure of another most leads to nothing; no function here says so. */
typedef enum {
    METRIC_OK,
    METRIC_UNKNOWN,
    METRIC_NO_LAUNCH,
    METRIC_UNDEFINED,
    METRIC_FOR_SHOW
} metric_status;
/* The value of a goal's counter over one call. "At least" a ratio, or a figure of launches, is asked
 * of the worst launch that stores into the lab's buffers or does most of the work, where out_bytes is
 * known. What the records say is idle, or leads to no output, does not count for "at least".
 * UNDEFINED: a ratio of which nothing was counted (no global load at all). */
metric_status grade_metric(const grade_goal *g, const grade_call_log *log, double *value);
/* The launch whose value that is, without its result where that is a part; false: it is a sum. */
bool grade_metric_launch(const grade_goal *g, const grade_call_log *log, dev_record *of);
/* All of them by sim_counter_at(), then grade_metric_at(); NaN where there is none. malloc'ed. */
double *grade_figures(const grade_call_log *log);
double *grade_figures_copy(const double *figures);
const char *grade_metric_unit(const char *name);
bool grade_metric_of_call(const char *name); /* of its records or time line, not of launches */
/* a launch that the goal looks at */
bool grade_launch_counts(const grade_goal *g, const dev_record *r);

#endif
