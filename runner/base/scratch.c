/* Scratch folders: made, locked, and removed if their maker has died.
 *
 *   lib_scratch_make(): removes unlocked ones --> mkdtemp --> flock --> still there? --> done
 *                                                    ^--- no: another process was faster */
#include "runner/base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "words/base.h"

#define PREFIX "scratch-"

/* Only folders that this file made: `parent` may also have a user's folders. */
static void scratch_sweep(const char *parent) {
    DIR *d = opendir(parent);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1)) continue;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB)) {
            char *path = lib_path_join(parent, e->d_name);
            lib_remove_tree(path);
            free(path);
        }
        if (fd >= 0) close(fd);
    }
    if (d) closedir(d);
}

bool lib_scratch_make(lib_scratch *s, const char *parent, lib_message *msg) {
    *s = (lib_scratch){.lock = -1};
    if (!lib_make_folders(parent, msg)) return false;
    scratch_sweep(parent);
    for (int tries = 0; tries < 100; tries++) {
        char *path = lib_path_join(parent, PREFIX "XXXXXX");
        struct stat st;
        if (!mkdtemp(path)) {
            lib_message_set(msg, w_base_cannot_make_scratch(parent, errno));
            free(path);
            return false;
        }
        s->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        /* A file system without locks: then nothing is removed either. */
        if (s->lock >= 0) flock(s->lock, LOCK_SH);
        if (s->lock >= 0 && !stat(path, &st)) {
            s->path = path;
            return true;
        }
        if (s->lock >= 0) close(s->lock);
        s->lock = -1;
        free(path);
    }
    lib_message_set(msg, w_base_cannot_keep_scratch(parent));
    return false;
}

void lib_scratch_remove(lib_scratch *s) {
    if (s->path) {
        lib_remove_tree(s->path);
        if (s->lock >= 0) close(s->lock);
    }
    free(s->path);
    *s = (lib_scratch){.lock = -1};
}
