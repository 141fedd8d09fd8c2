/* Growing strings, and memory that is there or the process is not: for the runner's rooms, which
 * cannot go on without a kilobyte. Libraries (sim, device, grader) use lib_buffer and look at
 * `failed`. */
#ifndef WARPLAB_BASE_BUFFER_H
#define WARPLAB_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* A growing NUL-terminated string. Start with {0}; `s` is never NULL after the first call. Once
 * memory ran out, `failed` is set, `s` is "" and everything else is ignored. */
typedef struct {
    char *s;
    size_t n, cap;
    bool failed;
} lib_buffer;
void lib_buffer_add(lib_buffer *b, const void *bytes, size_t n);
void lib_buffer_puts(lib_buffer *b, const char *text);
void lib_buffer_printf(lib_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* the string, which the caller frees, NULL once it failed; *b is {0} again */
char *lib_buffer_take(lib_buffer *b);
void lib_buffer_free(lib_buffer *b);

/* These end the process with a message and status 3 when there is no memory: never in a library. */
char *lib_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */
void *lib_malloc(size_t n);                                                      /* never NULL */
char *lib_strdup(const char *s);

#endif
