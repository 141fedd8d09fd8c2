/* What an entry of a lab's `forbid` stands for. forbidden.c looks for it in a source,
 * forbidden_code.c in a compiled program; both use these functions. */
#ifndef WARPLAB_GRADER_FORBIDDEN_H
#define WARPLAB_GRADER_FORBIDDEN_H

#include <stdbool.h>
#include <stddef.h>
#include "grader/lab.h"

/* Return whether an entry of `forbid` stands for a name of n characters, or for the path of a
 * header. */
bool forbidden_name(const char *entry, const char *name, size_t n);
bool forbidden_include(const char *entry, const char *path, size_t n);

/* Returns whether the lab asks for a line of the submission: then lines are those of the file that
 * was handed in. */
bool forbidden_asks_for_line(const grade_lab *lab);

#endif
