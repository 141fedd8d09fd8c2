/* Characters that an input method puts into code, and how the compiler prints them.
 *
 *   source --wide_find()--> "line 9 has the full-width character U+FF1B, where code needs ;"
 *   the compiler's \U0000ff1b --wide_unescape()--> that character, and wide_shift() for the caret
 *                                                  below it */
#ifndef WARPLAB_BUILD_WIDE_H
#define WARPLAB_BUILD_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* Returns the end of the comment, string or character constant that begins at i; i if none does. */
size_t wide_skip(const char *s, size_t n, size_t i);
/* Finds the first full-width character outside comments and strings, and how many more there are.
 * name: of this file if there are several; NULL: a single file. Returns false if there is none. */
bool wide_find(const char *text, size_t n, const char *name, lib_message *msg);

/* Works in place. Returns the new length. Characters that would be invisible, or would control a
 * terminal, stay escaped. */
size_t wide_unescape(char *line, size_t n);
/* Returns by how many columns this shortens the text before `column` of the line. */
size_t wide_shift(const char *line, size_t n, size_t column);

#endif
