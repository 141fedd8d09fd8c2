/* Is a file that was handed in text of a program at all? A notebook, a page or a text in two bytes a letter is told as
 * what it is, with what to do: a compiler would have a hundred messages for it, and a zero. */
#ifndef WARPLAB_GRADE_SOURCE_H
#define WARPLAB_GRADE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* False and *why: it cannot be graded. `name` is what the message calls it. */
bool source_is_text(const char *name, const char *text, size_t n, lib_message *why);
/* The header that a compiler's messages miss, into name; false: none. */
bool source_missing_header(const char *log, char *name, size_t size);

#endif
