/* Runs NVIDIA's own tools: ncu for the hardware's counters, compute-sanitizer for findings. Both
 * run the program with the vendor's runtime, so their results are only as trustworthy as the
 * program. */
#ifndef WARPLAB_PROFILE_TOOLS_H
#define WARPLAB_PROFILE_TOOLS_H

#include <jansson.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

/* Runs the program under ncu. Returns an array with one object per launch, in order: {"kernel",
 * "grid", "block", "time_us", "counters": {our names: the hardware's values}}. `counters` false:
 * only times, in one pass. Returns NULL and sets *msg on an error. */
json_t *profile_ncu(const char *program, char **argv, bool counters, lib_message *msg);
/* Runs the program under compute-sanitizer (memcheck, then racecheck). Returns an array of findings
 * as in profile's JSON, each with "tool". Returns NULL and sets *msg on an error. */
json_t *profile_sanitize(const char *program, char **argv, lib_message *msg);

#endif
