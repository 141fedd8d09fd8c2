/* Moments: as the systems and a course's own file write them, to seconds since 1970 and back. */
#ifndef WARPLAB_GRADER_WHEN_H
#define WARPLAB_GRADER_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

/* A moment: 2026-10-01 23:59[:30[.5]], with T or a blank between, and at the end Z, UTC, +08:00 or
 * nothing, which is the course's zone (minutes east of Greenwich). Also as Moodle's worksheet has
 * it in English: "Thursday, 1 October 2026, 11:59 PM", and as Gradescope: 2026-10-01 23:59:59 -0700.
 * A date alone is its last second. False when it is none of these. */
bool when_read(const char *text, int zone, int64_t *at);
/* "+08:00", "-05:30", "UTC", "Z" */
bool when_zone(const char *text, int *zone);
/* "15 min", "2 h", "1.5 days", "90 s", "1 week"; a number alone is seconds */
bool when_span(const char *text, double *seconds);
/* "2026-10-01 23:59 +08:00" */
void when_write(int64_t at, int zone, char *out, size_t n);
/* "1 d 2 h", "15 min", "40 s": the two largest units */
void when_say_span(double seconds, lib_message *m);

#endif
