/* The log of gradings that failed through no fault of the submission: one line each, in the state
 * folder. It is a door of its own because gradings write it and `doctor` shows it.
 *
 *   lab, device, reason --failures_add()--> STATE/failures.log --failures_last()--> newest lines */
#ifndef WARPLAB_GRADE_FAILURES_H
#define WARPLAB_GRADE_FAILURES_H

#include <stddef.h>
#include "grader/result.h"

/* Appends "2026-11-22T15:19:41Z LAB DEVICE: REASON". If the file exceeds 64 KiB, the older half is
 * removed. Errors of writing are ignored. */
void failures_add(const char *lab, const char *device, const char *reason);
/* Appends a line for a result. Does nothing unless the grader itself failed: not if the grading was
 * cancelled, and not if the submission uses what the device lacks. */
void failures_add_result(const grade_result *r);
/* Returns at most `max` of the newest lines, oldest first, as one malloc'ed text; NULL if there are
 * none. *n: the number of lines in the log. */
char *failures_last(size_t max, size_t *n);
/* Returns the log's path, malloc'ed, or NULL. */
char *failures_path(void);

#endif
