/* Reads, writes and removes whole files and folders. */
#include "runner/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/order.h"
#include "words/base.h"

bool lib_is_file(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode);
}

bool lib_is_folder(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

char *lib_read_file(const char *path, size_t limit, size_t *n, lib_message *msg) {
    if (!limit) limit = 64u << 20;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        lib_message_set(msg, w_base_cannot_read(path, errno));
        return NULL;
    }
    struct stat st;
    char *text = NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        lib_message_set(msg, w_base_not_regular(path));
    } else if ((uint64_t)st.st_size > limit) {
        lib_message_set(msg, w_base_too_long(path, (double)st.st_size / 1e6, (double)limit / 1e6));
    } else {
        /* The file may grow or shrink meanwhile: reads what is there, up to the size seen. */
        size_t size = (size_t)st.st_size, got = 0;
        text = lib_malloc(size + 1);
        while (got < size) {
            ssize_t r = read(fd, text + got, size - got);
            if (r < 0 && errno == EINTR) continue;
            if (r < 0) {
                lib_message_set(msg, w_base_cannot_read(path, errno));
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

bool lib_write_all(int fd, const void *bytes, size_t n) {
    const char *p = bytes;
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return false;
        p += w;
        n -= (size_t)w;
    }
    return true;
}

bool lib_write_file(const char *path, const void *bytes, size_t n, lib_message *msg) {
    if (!strcmp(path, "-")) {
        if (fwrite(bytes, 1, n, stdout) == n && !fflush(stdout)) return true;
        lib_message_set(msg, w_base_cannot_write_stdout(errno));
        return false;
    }
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) { /* /dev/null, a FIFO: cannot be replaced */
        int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        bool ok = fd >= 0 && lib_write_all(fd, bytes, n);
        if (!ok) lib_message_set(msg, w_base_cannot_write(path, errno));
        if (fd >= 0) close(fd);
        return ok;
    }
    char *temporary = lib_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool ok = fd >= 0;
    if (ok) {
        mode_t mask = umask(0);
        umask(mask);
        ok = !fchmod(fd, 0666 & ~mask) && lib_write_all(fd, bytes, n) && !fsync(fd);
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
        int error = errno;
        if (error == ENOSPC || error == EDQUOT)
            lib_message_set(msg, w_base_cannot_write_disk_full(path, error));
        else lib_message_set(msg, w_base_cannot_write(path, error));
    }
    free(temporary);
    return ok;
}

bool lib_make_folders(const char *path, lib_message *msg) {
    char p[4096];
    bool ok = strlen(path) < sizeof p;
    if (!ok) lib_message_set(msg, w_base_folder_path_too_long(strlen(path), sizeof p - 1));
    else strcpy(p, path);
    for (char *s = p + 1; ok; s++) {
        if (*s && *s != '/') continue;
        char c = *s;
        *s = 0;
        if (mkdir(p, 0700) && errno != EEXIST && !lib_is_folder(p)) {
            lib_message_set(msg, w_base_cannot_make_folder(p, errno));
            ok = false;
        }
        *s = c;
        if (!c) break;
    }
    if (ok && !lib_is_folder(path)) {
        lib_message_set(msg, w_base_not_folder(path));
        ok = false;
    }
    return ok;
}

char **lib_folder_names(const char *folder, size_t *n) {
    enum { NAMES = 4096 };
    char **names = NULL;
    DIR *d = opendir(folder);
    *n = 0;
    for (struct dirent *e; d && *n < NAMES && (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        if (!lib_grow_one(&names, *n, sizeof *names)) break;
        names[(*n)++] = lib_strdup(e->d_name);
    }
    if (d) closedir(d);
    if (*n) qsort(names, *n, sizeof *names, lib_by_text);
    return names;
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
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            remove_at(dirfd(d), e->d_name, depth + 1);
    }
    closedir(d);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void lib_remove_tree(const char *path) {
    remove_at(AT_FDCWD, path, 0);
}

bool lib_keep_form(const char *path, int form, lib_message *msg) {
    char *copy = lib_format("%s.form%d", path, form), *text = NULL;
    size_t n = 0;
    bool ok = !access(copy, F_OK);
    if (!ok && (text = lib_read_file(path, (size_t)1 << 30, &n, msg)))
        ok = lib_write_file(copy, text, n, msg);
    free(text);
    free(copy);
    return ok;
}
