/* Figures of one call: counters, ratios, and what the call did (grade_metric_at() lists them). */
#ifndef WARPLAB_GRADER_METRICS_H
#define WARPLAB_GRADER_METRICS_H

#include "runner/device/server/device.h"
#include "grader/lab.h"

typedef struct {
    const dev_record *records;
    size_t count;
    double busy_us, elapsed_us;
    double out_bytes; /* of the lab's outputs; 0: unknown */
    double computed;  /* dev_client_computed() */
    double variables; /* dev_client_variables() */
} grade_call_log;
/* FOR_SHOW: a goal compares with a kernel of which most work leads to no output. FED: the goal's
 * kernel reads what the kernel stored with which it is compared. HELPED: it reads what the host
 * computed for it alone. UNCHECKED: the program does not notice when the results of the goal's
 * kernel are wrong. Only the room run sets these (measure.c). */
typedef enum {
    METRIC_OK,
    METRIC_UNKNOWN,
    METRIC_NO_LAUNCH,
    METRIC_UNDEFINED,
    METRIC_FOR_SHOW,
    METRIC_FED,
    METRIC_HELPED,
    METRIC_UNCHECKED
} metric_status;
/* Finds the value of a goal's counter in one call. An "at least" goal about a ratio or a figure of
 * launches takes the worst launch, among those that write the lab's buffers or do most of the work,
 * if out_bytes is known. Launches that by the records are idle or lead to no output do not count
 * for "at least". METRIC_UNDEFINED: the ratio of something that did not occur (for example no
 * global load). */
metric_status grade_metric(const grade_goal *g, const grade_call_log *log, double *value);
/* The threads of the goal's launches that lead to the outputs. */
double grade_metric_threads(const grade_goal *g, const grade_call_log *log);
/* The time in which a launch of the goal's kernel ran, or of a kernel with one of these bits
 * (dev_record.kernel_bit). NaN: memory is out. */
double grade_metric_time(const grade_goal *g, const grade_call_log *log, uint64_t with);
/* Returns whether the goal judges what leads to the outputs, alone or besides all work. */
bool grade_metric_leads(const grade_goal *g);
bool grade_metric_sum(const char *name); /* a counter that adds up over threads, not a ratio */
/* Finds the launch with this value; its result is NULL if only a part of it was judged. Returns
 * false if the value is that of several launches together. */
bool grade_metric_launch(const grade_goal *g, const grade_call_log *log, dev_record *of);
/* Returns all figures, first those of sim_counter_at(), then those of grade_metric_at(). NaN: no
 * value. malloc'ed. */
double *grade_figures(const grade_call_log *log);
double *grade_figures_copy(const double *figures); /* malloc'ed; NULL if figures is */
const char *grade_metric_unit(const char *name);   /* of a figure or counter; "" if unknown */
/* from its records or timeline, not from its launches */
bool grade_metric_of_call(const char *name);
/* Returns whether the goal counts this launch. */
bool grade_launch_counts(const grade_goal *g, const dev_record *r);

#endif
