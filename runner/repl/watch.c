/* `watch`: waits for a save of the student's file, a key, or Ctrl-C, and grades after each save. Editors save by writing the file or by renaming
 * another over it, so the folder is watched and the name compared. Saves that come within a moment
 * of each other are one. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/repl/work.h"

enum { SETTLE_MS = 120 };

typedef enum { WATCH_SAVED, WATCH_KEY, WATCH_STOP } watch_event;
typedef struct {
    int fd;
    char name[256]; /* "": whatever is saved in the folder */
} watch;

static void watch_free(watch *w) {
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    free(w);
}

/* NULL when the file system cannot tell (then only keys work): watch_wait() takes NULL. */
static watch *watch_new(const char *path, bool whole_folder) {
    const char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    watch *w = calloc(1, sizeof *w);
    if (!w) abort();
    if (!whole_folder) snprintf(w->name, sizeof w->name, "%s", slash + 1);
    char *folder = whole_folder ? strdup(path) : strndup(path, (size_t)(slash - path));
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool ok =
        w->fd >= 0 && folder && inotify_add_watch(w->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    free(folder);
    if (ok) return w;
    watch_free(w);
    return NULL;
}

/* Reads all events there are; true when one is about the file. */
static bool watch_saved(watch *w) {
    _Alignas(struct inotify_event) char buf[4096];
    bool hit = false;
    ssize_t n;
    while ((n = read(w->fd, buf, sizeof buf)) > 0)
        for (char *p = buf; p < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)p;
            /* An editor's own files beside them are not saves. */
            if (e->len && (w->name[0] ? !strcmp(e->name, w->name) : lib_part_name_ok(e->name)))
                hit = true;
            p += sizeof *e + e->len;
        }
    return hit;
}

/* Waits for a save of the file, a key or Ctrl-C. */
static watch_event watch_wait(watch *w, char *key) {
    struct termios old, raw;
    bool tty = !tcgetattr(STDIN_FILENO, &old);
    if (tty) {
        raw = old;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    watch_event event = WATCH_STOP;
    bool pending = false;
    while (!lib_cancel_flag) {
        struct pollfd p[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = w ? w->fd : -1, .events = POLLIN}};
        int n = poll(p, 2, pending ? SETTLE_MS : -1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        if (n == 0) {
            event = WATCH_SAVED;
            break;
        }
        if (w && p[1].revents & POLLIN) pending |= watch_saved(w);
        if (p[0].revents) {
            char c;
            if (read(STDIN_FILENO, &c, 1) == 1 && c != 4) {
                *key = c;
                event = WATCH_KEY;
            }
            break;
        }
    }
    if (tty) tcsetattr(STDIN_FILENO, TCSANOW, &old);
    return event;
}

int repl_watch(repl *r, char *argument) {
    (void)argument;
    if (!r->interactive) {
        text_line(&r->out, TEXT_WARN, 0, "%s", T(NOT_TERMINAL));
        return 1;
    }
    if (!repl_make_file(r)) return 1;
    char nothing[1] = "";
    watch *w = watch_new(r->file, r->lab->grade.file_count > 0);
    text_line(&r->out, TEXT_STRONG, 0, T(WATCHING), r->file);
    if (!w) text_line(&r->out, TEXT_WARN, 0, "%s", T(WATCH_KEYS_ONLY));
    bool (*pager)(void *) = r->out.more;
    r->out.more = NULL; /* keys mean something else here */
    for (bool go_on = true; go_on;) {
        char key = 0;
        fflush(stdout);
        watch_event e = watch_wait(w, &key);
        text_page_begin(&r->out);
        if (e == WATCH_STOP || (e == WATCH_KEY && (key == 'q' || key == 3))) go_on = false;
        else if (e == WATCH_KEY && key == 'h') repl_hint(r, nothing);
        else if (e == WATCH_SAVED || key == 'c' || key == '\n' || key == '\r') {
            text_put(&r->out, TEXT_DIM, "----\n");
            repl_check(r, nothing);
            if (lib_cancel_flag) go_on = false;
        }
    }
    r->out.more = pager;
    watch_free(w);
    lib_cancel_clear();
    text_line(&r->out, TEXT_DIM, 0, "%s", T(WATCH_END));
    return 0;
}
