/* Checks whether a file is the text of a program at all. For a notebook, a web page or UTF-16 text,
 * a message says what the file is and what to do. A compiler would only give a hundred errors, and
 * the student no points. */
#ifndef WARPLAB_GRADE_SOURCE_H
#define WARPLAB_GRADE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* Returns false and sets *why if the file cannot be graded. `name` is the file's name in the
 * message. */
bool source_is_text(const char *name, const char *text, size_t n, lib_message *why);
/* Finds the name of the header that was missing, in a compiler's log. Returns false if none was. */
bool source_missing_header(const char *log, char *name, size_t size);

#endif
