/* Small things that every file of the runner needs: growing strings, whole files, SHA-256, nearest names,
 * Ctrl-C. */
#ifndef WARPLAB_UTIL_H
#define WARPLAB_UTIL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/sim.h" /* sim_message */

/* A growing NUL-terminated string. Start with {0}; `s` is never NULL after the first call. Out of memory ends
 * the process with a message: the runner cannot go on without a kilobyte. */
typedef struct {
    char *s;
    size_t n, cap;
} lab_buf;
void lab_buf_add(lab_buf *b, const void *bytes, size_t n);
void lab_buf_puts(lab_buf *b, const char *text);
void lab_buf_printf(lab_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lab_buf_free(lab_buf *b);
char *lab_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */
void *lab_malloc(size_t n);                                                      /* never NULL */
char *lab_strdup(const char *s);

void lab_message(sim_message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a whole regular file of at most `limit` bytes (0: 64 MiB); malloc'ed, NUL behind. NULL and *msg. */
char *lab_read_file(const char *path, size_t limit, size_t *n, sim_message *msg);
/* Writes by a temporary file, fsync and rename, so that a reader sees the old or the new file, never half.
 * "-" is stdout. A full disk leaves the old file and says so. */
bool lab_write_file(const char *path, const void *bytes, size_t n, sim_message *msg);
bool lab_make_folders(const char *path, sim_message *msg); /* mkdir -p, mode 0700 for what it makes */
bool lab_is_file(const char *path);
bool lab_is_folder(const char *path);
/* Removes a folder and what is in it, never following a link; a path that is not there is no error. */
void lab_remove_tree(const char *path);

/* The name nearest to `word` (edit distance at most a third of its length), or NULL. */
const char *lab_nearest(const char *word, const char *const *names, size_t n);

/* Nonzero once Ctrl-C (or SIGTERM, SIGHUP) came; everything long looks at it. lab_cancel_install() sets the
 * handlers, without SA_RESTART so that blocked reads wake. A second Ctrl-C while the first is being obeyed
 * ends the process at once. */
extern volatile sig_atomic_t lab_cancel_flag;
void lab_cancel_install(void);
const volatile int *lab_cancel(void); /* the same flag, as the device's and grader's options take it */
void lab_cancel_clear(void);

double lab_now(void); /* seconds, monotonic */

#endif
