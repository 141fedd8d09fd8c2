/* The figures that a goal may ask for and a report may show, by name: counters of the device,
 * ratios of them, and what one call did. Their values are asked of a result (grade_figure()). */
#ifndef WARPLAB_GRADE_FIGURE_H
#define WARPLAB_GRADE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/words/words.h"
#include "runner/device/sim/sim.h"

/* A name that a counter goal may have: a counter, a derived ratio, or one of the call's own figures
 * (metrics.def: launches, registers, occupancy_pct, h2d_bytes, ...). */
bool grade_metric_known(const char *name);
size_t grade_metric_count(void); /* the call's own figures only */
const sim_counter_info *grade_metric_at(size_t i);
/* What a counter, a ratio or a figure of a call means; "" when there is none of that name. */
const char *grade_meaning(const char *name, lib_lang lang);
/* The word for a counter's unit: for a column, or `counted`, behind a number. A unit that has
 * no word of its own in `lang` (%, GB/s) is returned as it is. */
const char *grade_unit_word(const char *unit, lib_lang lang, bool counted);
/* A value with its unit: "13%", "1 call", "7 bytes". */
lib_words grade_amount(double v, const char *unit);
/* What a launch's limiter is called: "dram". */
const char *grade_limiter_word(const char *limiter, lib_lang lang);

#endif
