/* What an entry of a lab's `forbid` stands for. forbidden.c looks for it in a source and
 * forbidden_code.c in what was compiled; both ask here. */
#ifndef WARPLAB_GRADER_FORBIDDEN_H
#define WARPLAB_GRADER_FORBIDDEN_H

#include <stdbool.h>
#include <stddef.h>

/* Does one entry of a lab's `forbid` stand for a name of n characters, for a header's path? */
bool forbidden_name(const char *entry, const char *name, size_t n);
bool forbidden_include(const char *entry, const char *path, size_t n);

#endif
