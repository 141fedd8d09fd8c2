/* See failures.h. */
#include "runner/grade/failures.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"

enum { LOG_BYTES = 64 << 10, REASON_BYTES = 600 };

char *failures_path(void) {
    const lib_paths *p = lib_paths_get(NULL);
    return p ? lib_path_join(p->state, "failures.log") : NULL;
}

/* Puts the reason on one line, at most REASON_BYTES of it: it may quote a compiler. */
static void failure_line(lib_buffer *b, const char *reason) {
    char text[REASON_BYTES];
    SAY(text, "%s", reason);
    char *clean = lib_clean(text, strlen(text));
    for (char *s = clean; s && *s; s++)
        if (*s == '\n' || *s == '\t') *s = ' ';
    lib_buffer_puts(b, clean ? clean : "?");
    free(clean);
}

/* Keeps the newer half. Two processes at the same time may each lose a line, but never the file. */
static void failures_shorten(const char *path) {
    size_t n;
    char *text = lib_read_file(path, 4 * LOG_BYTES, &n, NULL);
    const char *half = text ? memchr(text + n / 2, '\n', n - n / 2) : NULL;
    if (half) lib_write_file(path, half + 1, n - (size_t)(half + 1 - text), NULL);
    else unlink(path); /* not a log of ours */
    free(text);
}

void failures_add(const char *lab, const char *device, const char *reason) {
    char *path = failures_path(), when[32];
    const lib_paths *p = lib_paths_get(NULL);
    if (!path || !lib_make_folders(p->state, NULL)) {
        free(path);
        return;
    }
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    lib_buffer b = {0};
    lib_buffer_printf(&b, "%s %s %s: ", when, lab, device);
    failure_line(&b, reason);
    lib_buffer_puts(&b, "\n");
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    off_t end = -1;
    if (fd >= 0 && !b.failed && lib_write_all(fd, b.s, b.n)) end = lseek(fd, 0, SEEK_END);
    if (fd >= 0) close(fd);
    if (end > LOG_BYTES) failures_shorten(path);
    lib_buffer_free(&b);
    free(path);
}

void failures_add_result(const grade_result *r) {
    if (r->verdict != GRADE_ERROR || r->ungradable || lib_cancel_flag) return;
    char *reason = lib_words_take(LIB_EN, lib_message_words(&r->message));
    failures_add(r->lab ? r->lab->id : "?", r->device[0] ? r->device : "?",
                 *reason ? reason : "no reason was given");
    free(reason);
}

char *failures_last(size_t max, size_t *n) {
    char *path = failures_path(), *text = NULL;
    size_t length = 0, first = 0;
    *n = 0;
    if (path) text = lib_read_file(path, 4 * LOG_BYTES, &length, NULL);
    free(path);
    for (size_t i = 0; text && i < length; i++) *n += text[i] == '\n';
    if (!*n || !max) {
        free(text);
        return NULL;
    }
    for (size_t i = 0, line = 0; i < length && line + max < *n; i++)
        if (text[i] == '\n') line++, first = i + 1;
    memmove(text, text + first, length - first + 1);
    return text;
}
