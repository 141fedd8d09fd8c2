/* Limits the cache's size: the least recently used builds are removed first.
 *
 *   build_cache_keep() --> build_cache_trim(): cache/build/XX/KEY, by the folder's time, which is
 *                          that of its last use --> renamed to .gone-..., then removed
 *
 * Processes that trim at the same time use a lock; one that does not get it leaves the work to the
 * other. A folder that was found in the cache stays for at least an hour, because its program may
 * be started, and started again, until then. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/build/cache.h"

enum { KEPT_FOR = 3600, DEFAULT_MB = 4096 }; /* seconds; megabytes */

uint64_t build_cache_limit(void) {
    const char *said = getenv("WARPLAB_CACHE_MB");
    char *end = NULL;
    errno = 0;
    unsigned long long mb = said ? strtoull(said, &end, 10) : 0;
    bool number = said && *said >= '0' && *said <= '9' && !*end && !errno && mb < 1ull << 40;
    return (number ? mb : DEFAULT_MB) << 20;
}

typedef struct {
    char *path;
    uint64_t bytes;
    struct timespec used;
} kept_build;

typedef struct {
    kept_build *all;
    size_t n, cap;
    uint64_t bytes;
} kept_builds;

static int by_use(const void *a, const void *b) {
    const kept_build *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

/* Returns the bytes on the disk of the files in one folder. */
static uint64_t folder_bytes(const char *folder) {
    size_t n = 0;
    uint64_t bytes = 0;
    char **names = lib_folder_names(folder, &n);
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        char *path = lib_path_join(folder, names[i]);
        if (!lstat(path, &st)) bytes += (uint64_t)st.st_blocks * 512;
        free(path);
    }
    lib_lab_names_free(names, n);
    return bytes;
}

static void look_into(kept_builds *k, const char *part) {
    DIR *d = opendir(part);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (*e->d_name == '.') continue;
        char *path = lib_path_join(part, e->d_name);
        if (lstat(path, &st) || !S_ISDIR(st.st_mode) ||
            !lib_grow(&k->all, &k->cap, k->n, sizeof *k->all, 256)) {
            free(path);
            continue;
        }
        uint64_t bytes = folder_bytes(path);
        k->all[k->n++] = (kept_build){.path = path, .bytes = bytes, .used = st.st_mtim};
        k->bytes += bytes;
    }
    if (d) closedir(d);
}

/* Renames the build, so that other processes cannot find it, then removes it. Also removes what a
 * killed process left behind. */
static void remove_build(const char *folder, const char *path, size_t number) {
    char *gone = lib_format("%s/.gone-%ld-%zu", folder, (long)getpid(), number);
    if (!rename(path, gone)) lib_remove_tree(gone);
    free(gone);
}
static void remove_gone(const char *folder) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, ".gone-", 6) != 0) continue;
        char *path = lib_path_join(folder, e->d_name);
        lib_remove_tree(path);
        free(path);
    }
    if (d) closedir(d);
}

void build_cache_trim(const char *folder, uint64_t limit) {
    char *lock = lib_path_join(folder, ".lock");
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    free(lock);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
        if (fd >= 0) close(fd);
        return;
    }
    kept_builds k = {0};
    size_t parts = 0;
    char **part = lib_folder_names(folder, &parts);
    remove_gone(folder);
    for (size_t i = 0; i < parts; i++) {
        char *path = lib_path_join(folder, part[i]);
        look_into(&k, path);
        free(path);
    }
    lib_lab_names_free(part, parts);
    if (k.n) qsort(k.all, k.n, sizeof *k.all, by_use);
    time_t now = time(NULL);
    /* A tenth more than necessary, so that not every build has to trim. */
    uint64_t room = limit - limit / 10;
    bool full = k.bytes > limit;
    for (size_t i = 0; i < k.n; i++) {
        if (full && k.bytes > room && k.all[i].used.tv_sec + KEPT_FOR < now) {
            remove_build(folder, k.all[i].path, i);
            k.bytes -= k.all[i].bytes;
        }
        free(k.all[i].path);
    }
    free(k.all);
    close(fd);
}
