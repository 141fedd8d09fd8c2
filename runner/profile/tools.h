/* NVIDIA's own tools beside ours: what the hardware counted, what compute-sanitizer found. Both run
 * the program with the vendor's runtime, so what they say is as trustworthy as the program. */
#ifndef WARPLAB_PROFILE_TOOLS_H
#define WARPLAB_PROFILE_TOOLS_H

#include <jansson.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

/* Runs the program under ncu. An array with an object a launch, in order: {"kernel", "grid",
 * "block", "time_us", "counters": {our names: the hardware's values}}. `counters` false: times
 * alone, in one pass. NULL and *msg. */
json_t *profile_ncu(const char *program, char **argv, bool counters, lib_message *msg);
/* Runs it under compute-sanitizer (memcheck, then racecheck): an array of findings as profile's
 * JSON has them, each with "tool". NULL and *msg. */
json_t *profile_sanitize(const char *program, char **argv, lib_message *msg);

#endif
