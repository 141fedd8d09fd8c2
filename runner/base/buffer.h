/* Growing strings and arrays, and allocation that ends the process on failure: for the runner's
 * rooms, which cannot continue without a kilobyte. Libraries (sim, device, grader) use lib_buffer
 * and check `failed`. */
#ifndef WARPLAB_BASE_BUFFER_H
#define WARPLAB_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A growing string that ends in NUL. Start with {0}; `s` is never NULL after the first call. If
 * memory runs out, `failed` is set, `s` is "", and all further calls are ignored. */
typedef struct {
    char *s;
    size_t n, cap;
    bool failed;
} lib_buffer;
void lib_buffer_add(lib_buffer *b, const void *bytes, size_t n);
void lib_buffer_puts(lib_buffer *b, const char *text);
void lib_buffer_printf(lib_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the string, which the caller frees; NULL if it failed. *b is {0} again */
char *lib_buffer_take(lib_buffer *b);
void lib_buffer_free(lib_buffer *b);

/* If memory is out, these end the process with a message and status 3: never use them in a
 * library. */
char *lib_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */
void *lib_malloc(size_t n);                                                      /* never NULL */
char *lib_strdup(const char *s);

/* ---- arrays ---- */

/* Resizes *array (its address, as void *) to `room` elements of `size` bytes. Returns false if
 * memory is out or the array would be too large; then everything is as before. */
static inline bool lib_resize(void *array, size_t room, size_t size) {
    void *at;
    memcpy(&at, array, sizeof at);
    void *more = room > SIZE_MAX / 2 / size ? NULL : realloc(at, room * size);
    if (!more) return false;
    memcpy(array, &more, sizeof more);
    return true;
}

/* Makes room in *array for `need` elements of `size` bytes: doubles the room or takes `need`,
 * starting with `first`. Returns false if memory is out; then everything is as before. */
static inline bool lib_grow_to(void *array, size_t *room, size_t need, size_t size, size_t first) {
    if (need <= *room) return true;
    size_t more = *room ? *room * 2 : first;
    if (more < need) more = need;
    if (!lib_resize(array, more, size)) return false;
    *room = more;
    return true;
}

/* The same for one element more than `count`. */
static inline bool lib_grow(void *array, size_t *room, size_t count, size_t size, size_t first) {
    return lib_grow_to(array, room, count + 1, size, first);
}

/* The same for an array that does not record its room, because only this function makes it larger:
 * it has room for the next power of two above `count`. */
static inline bool lib_grow_one(void *array, size_t count, size_t size) {
    return (count & (count - 1)) || lib_resize(array, count ? 2 * count : 1, size);
}

#endif
