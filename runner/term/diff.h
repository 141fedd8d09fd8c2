/* Compares two texts line by line. */
#ifndef WARPLAB_TERM_DIFF_H
#define WARPLAB_TERM_DIFF_H

#include <stddef.h>

typedef struct {
    char mark;        /* ' ' same, '-' only in a, '+' only in b, '@' a gap */
    const char *text; /* not NUL-terminated: n bytes */
    size_t n;
    int line; /* number in the new text, for ' ' and '+' */
} diff_line;
/* Returns the number of lines in *out: the changes between a and b with three lines around each.
 * *out is malloc'ed, and the caller frees it. It points into a and b. */
size_t diff_lines(const char *a, const char *b, diff_line **out);

#endif
