/* The figures that a goal may ask for and a report may show, by name: counters of the device,
 * ratios of counters, and figures of one call. grade_figure() in result.h reads their values. */
#ifndef WARPLAB_GRADE_FIGURE_H
#define WARPLAB_GRADE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/words/words.h"
#include "runner/device/sim/sim.h"

/* Returns whether a counter goal may have this name: a counter, a derived ratio, or a figure of one
 * call (judge/metrics.def: launches, registers, occupancy_pct, h2d_bytes, ...). */
bool grade_metric_known(const char *name);
size_t grade_metric_count(void); /* the figures of a call only */
const sim_counter_info *grade_metric_at(size_t i);
/* Returns what a counter, a ratio or a figure of a call means; "" if there is none of this name. */
const char *grade_meaning(const char *name, lib_lang lang);
/* Returns the word for a counter's unit: for the head of a column, or with `counted` for use after
 * a number. A unit that has no word in `lang` (%, GB/s) is returned unchanged. */
const char *grade_unit_word(const char *unit, lib_lang lang, bool counted);
/* Returns a value with its unit: "13%", "1 call", "7 bytes". */
lib_words grade_amount(double v, const char *unit);
/* Returns the word for what limited a launch (sim_result.limiter), such as "dram". An unknown
 * limiter is returned unchanged. */
const char *grade_limiter_word(const char *limiter, lib_lang lang);

#endif
