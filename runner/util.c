/* Small things that every file of the runner needs: growing strings, whole files, nearest names, Ctrl-C. */
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- memory and strings ----------------------------------------------------------------------------------
 */

static void out_of_memory(void) {
    static const char text[] = "warplab: out of memory; close other programs and try again\n";
    ssize_t ignored = write(2, text, sizeof text - 1);
    (void)ignored;
    _exit(3);
}

void *lab_malloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p) out_of_memory();
    return p;
}

char *lab_strdup(const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(lab_malloc(n), s, n);
}

static void reserve(lab_buf *b, size_t more) {
    if (more > SIZE_MAX / 2 - b->n) out_of_memory();
    size_t need = b->n + more + 1;
    if (need <= b->cap) return;
    size_t cap = b->cap ? b->cap : 128;
    while (cap < need) cap *= 2;
    char *s = realloc(b->s, cap);
    if (!s) out_of_memory();
    b->s = s;
    b->cap = cap;
}

void lab_buf_add(lab_buf *b, const void *bytes, size_t n) {
    reserve(b, n);
    if (n) memcpy(b->s + b->n, bytes, n);
    b->n += n;
    b->s[b->n] = 0;
}

void lab_buf_puts(lab_buf *b, const char *text) {
    lab_buf_add(b, text, strlen(text));
}

static void buf_vprintf(lab_buf *b, const char *format, va_list ap) {
    if (!format) return; /* never; the compiler cannot see it under -fsanitize */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    if (n > 0) {
        reserve(b, (size_t)n);
        vsnprintf(b->s + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    } else {
        reserve(b, 0);
        b->s[b->n] = 0;
    }
    va_end(again);
}

void lab_buf_printf(lab_buf *b, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    buf_vprintf(b, format, ap);
    va_end(ap);
}

void lab_buf_free(lab_buf *b) {
    free(b->s);
    *b = (lab_buf){0};
}

char *lab_format(const char *format, ...) {
    lab_buf b = {0};
    va_list ap;
    va_start(ap, format);
    buf_vprintf(&b, format, ap);
    va_end(ap);
    return b.s;
}

void lab_message(sim_message *m, const char *format, ...) {
    if (!m) return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(m->text, sizeof m->text, format, ap);
    va_end(ap);
}

/* ---- files ---- */

bool lab_is_file(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode);
}

bool lab_is_folder(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

char *lab_read_file(const char *path, size_t limit, size_t *n, sim_message *msg) {
    if (!limit) limit = 64u << 20;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        lab_message(msg, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    struct stat st;
    char *text = NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        lab_message(msg, "cannot read %s: it is not a regular file", path);
    } else if ((uint64_t)st.st_size > limit) {
        lab_message(msg, "%s is %.1f MB long; at most %.1f MB is read", path, (double)st.st_size / 1e6,
                    (double)limit / 1e6);
    } else {
        /* The file may grow or shrink under us: read what is there, up to the size seen. */
        size_t size = (size_t)st.st_size, got = 0;
        text = lab_malloc(size + 1);
        while (got < size) {
            ssize_t r = read(fd, text + got, size - got);
            if (r < 0 && errno == EINTR) continue;
            if (r < 0) {
                lab_message(msg, "cannot read %s: %s", path, strerror(errno));
                free(text);
                text = NULL;
            }
            if (r <= 0) break;
            got += (size_t)r;
        }
        if (text) {
            text[got] = 0;
            if (n) *n = got;
        }
    }
    close(fd);
    return text;
}

static bool write_all(int fd, const char *bytes, size_t n) {
    while (n) {
        ssize_t w = write(fd, bytes, n);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return false;
        bytes += w;
        n -= (size_t)w;
    }
    return true;
}

bool lab_write_file(const char *path, const void *bytes, size_t n, sim_message *msg) {
    if (!strcmp(path, "-")) {
        if (fwrite(bytes, 1, n, stdout) == n && !fflush(stdout)) return true;
        lab_message(msg, "cannot write to stdout: %s", strerror(errno));
        return false;
    }
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) { /* /dev/null, a FIFO: nothing to replace */
        int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        bool ok = fd >= 0 && write_all(fd, bytes, n);
        if (!ok) lab_message(msg, "cannot write %s: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return ok;
    }
    char *temporary = lab_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool ok = fd >= 0;
    if (ok) {
        mode_t mask = umask(0);
        umask(mask);
        ok = !fchmod(fd, 0666 & ~mask) && write_all(fd, bytes, n) && !fsync(fd);
        int error = errno;
        if (close(fd) && ok) {
            ok = false;
            error = errno;
        }
        if (ok && rename(temporary, path)) {
            ok = false;
            error = errno;
        }
        if (!ok) unlink(temporary);
        errno = error;
    }
    if (!ok) {
        lab_message(msg,
                    errno == ENOSPC || errno == EDQUOT
                        ? "cannot write %s: the disk is full (%s); free some space and try again"
                        : "cannot write %s: %s",
                    path, strerror(errno));
    }
    free(temporary);
    return ok;
}

bool lab_make_folders(const char *path, sim_message *msg) {
    char *p = lab_strdup(path);
    bool ok = true;
    for (char *s = p + 1; ok; s++) {
        if (*s && *s != '/') continue;
        char c = *s;
        *s = 0;
        if (mkdir(p, 0700) && errno != EEXIST && !lab_is_folder(p)) {
            lab_message(msg, "cannot make the folder %s: %s", p, strerror(errno));
            ok = false;
        }
        *s = c;
        if (!c) break;
    }
    free(p);
    if (ok && !lab_is_folder(path)) {
        lab_message(msg, "%s is not a folder", path);
        ok = false;
    }
    return ok;
}

static void remove_at(int folder, const char *name, int depth) {
    if (!unlinkat(folder, name, 0) || errno == ENOENT) return;
    if (depth > 64) return;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) remove_at(dirfd(d), e->d_name, depth + 1);
    }
    closedir(d);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void lab_remove_tree(const char *path) {
    remove_at(AT_FDCWD, path, 0);
}

/* ---- nearest names ---------------------------------------------------------------------------------------
 */

/* Edit distance with neighbour swaps (optimal string alignment), over the first 63 bytes. */
static unsigned distance(const char *a, const char *b) {
    enum { MAX = 64 };
    unsigned row[3][MAX + 1];
    size_t n = strnlen(a, MAX - 1), m = strnlen(b, MAX - 1);
    for (size_t j = 0; j <= m; j++) row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && upup[j - 2] + 1 < best)
                best = upup[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *lab_nearest(const char *word, const char *const *names, size_t n) {
    size_t length = strlen(word);
    unsigned best = length < 3 ? 1 : (unsigned)((length + 2) / 3);
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned d = distance(word, names[i]);
        bool prefix = length >= 3 && !strncmp(word, names[i], length);
        if (prefix && !found) found = names[i];
        if (d < best || (d == best && !found)) {
            best = d;
            found = names[i];
        }
    }
    return found;
}

/* ---- Ctrl-C ---- */

volatile sig_atomic_t lab_cancel_flag;

/* The first signal asks everything to stop; the third in a row says that something does not listen. */
static void on_signal(int signal) {
    if (lab_cancel_flag >= 2) _exit(128 + signal);
    lab_cancel_flag++;
}

void lab_cancel_install(void) {
    struct sigaction a = {.sa_handler = on_signal};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
    signal(SIGPIPE, SIG_IGN);
}

_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "the flag is handed on as a volatile int");
const volatile int *lab_cancel(void) {
    return &lab_cancel_flag;
}
void lab_cancel_clear(void) {
    lab_cancel_flag = 0;
}

double lab_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
