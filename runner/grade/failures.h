/* The log of gradings that could not be done through no fault of the submission: a line each, in the
 * state folder. A door of its own: who grades adds, `doctor` shows.
 *
 *   lab, device, reason --failures_add()--> STATE/failures.log --failures_last()--> the newest lines */
#ifndef WARPLAB_GRADE_FAILURES_H
#define WARPLAB_GRADE_FAILURES_H

#include <stddef.h>
#include "grader/result.h"

/* Appends "2026-11-22T15:19:41Z LAB DEVICE: REASON". The oldest lines go when the file passes 64 KiB. A
 * failure to write is nobody's business here. */
void failures_add(const char *lab, const char *device, const char *reason);
/* The same for a result: nothing unless the grader failed (not cancelled, not a submission that the
 * device cannot run). */
void failures_add_result(const grade_result *r);
/* The newest lines, at most `max`, oldest of them first, as one malloc'ed text; *n: how many there are in the whole
 * log. NULL when there are none. */
char *failures_last(size_t max, size_t *n);
/* Where it is; malloc'ed, or NULL. */
char *failures_path(void);

#endif
