/* Characters that an input method puts into code, and the compiler's way to print them.
 *
 *   source --wide_find()--> "line 9 has the full-width character U+FF1B, where code needs ;"
 *   the compiler's \U0000ff1b --wide_unescape()--> that character, and wide_shift() for the caret below */
#ifndef WARPLAB_BUILD_WIDE_H
#define WARPLAB_BUILD_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* The first full-width character outside comments and texts, and how many more there are. `name`: of
 * several files the one this is; NULL: there is one. False: there is none. */
bool wide_find(const char *text, size_t n, const char *name, lib_message *msg);

/* In place; returns the new length. What would not show, or would steer a terminal, stays as it is. */
size_t wide_unescape(char *line, size_t n);
/* How many columns narrower that makes what stands before `column` of the line. */
size_t wide_shift(const char *line, size_t n, size_t column);

#endif
