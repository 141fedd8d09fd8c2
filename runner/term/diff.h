/* Two texts, line by line. */
#ifndef WARPLAB_TERM_DIFF_H
#define WARPLAB_TERM_DIFF_H

#include <stddef.h>

typedef struct {
    char mark;        /* ' ', '-', '+', '@' */
    const char *text; /* not NUL-terminated: n bytes */
    size_t n;
    int line; /* in the new text, of ' ' and '+' */
} diff_line;
/* The lines of a and b with three lines around each change; malloc'ed, the caller frees. Points
 * into a and b. */
size_t diff_lines(const char *a, const char *b, diff_line **out);

#endif
