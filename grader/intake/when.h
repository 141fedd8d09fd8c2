/* Reads and writes times as systems and course files write them. A time is in seconds since
 * 1970. */
#ifndef WARPLAB_GRADER_WHEN_H
#define WARPLAB_GRADER_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

/* Reads 2026-10-01 23:59[:30[.5]], with T or a blank between date and time. It may end with Z, UTC
 * or +08:00; otherwise `zone` is used, the course's zone in minutes east of Greenwich. Also reads
 * the English of Moodle's worksheet, "Thursday, 1 October 2026, 11:59 PM", and Gradescope's
 * 2026-10-01 23:59:59 -0700. A date without a time means its last second. Returns false for
 * anything else. */
bool when_read(const char *text, int zone, int64_t *at);
/* "+08:00", "-05:30", "UTC", "Z" */
bool when_zone(const char *text, int *zone);
/* "15 min", "2 h", "1.5 days", "90 s", "1 week"; a number without a unit is in seconds */
bool when_span(const char *text, double *seconds);
/* "2026-10-01 23:59 +08:00" */
void when_write(int64_t at, int zone, char *out, size_t n);
/* "1 d 2 h", "15 min", "40 s": the two largest units */
void when_say_span(double seconds, lib_message *m);

#endif
