/* Waits for a save of one file, a key, or Ctrl-C. Editors save by writing the file or by renaming
 * another over it, so the folder is watched and the name compared. Saves that come within a moment
 * of each other are one. */
#include "runner/base/cancel.h"
#include "runner/repl/repl_internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>

enum { SETTLE_MS = 120 };

struct watch {
    int fd;
    char name[256];
};

watch *watch_new(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    watch *w = calloc(1, sizeof *w);
    if (!w) abort();
    snprintf(w->name, sizeof w->name, "%s", slash + 1);
    char *folder = strndup(path, (size_t)(slash - path));
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool ok =
        w->fd >= 0 && folder && inotify_add_watch(w->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    free(folder);
    if (ok) return w;
    watch_free(w);
    return NULL;
}

void watch_free(watch *w) {
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    free(w);
}

/* Reads all events there are; true when one is about the file. */
static bool saved(watch *w) {
    _Alignas(struct inotify_event) char buf[4096];
    bool hit = false;
    ssize_t n;
    while ((n = read(w->fd, buf, sizeof buf)) > 0)
        for (char *p = buf; p < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)p;
            if (e->len && !strcmp(e->name, w->name)) hit = true;
            p += sizeof *e + e->len;
        }
    return hit;
}

watch_event watch_wait(watch *w, char *key) {
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
        if (w && p[1].revents & POLLIN) pending |= saved(w);
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
