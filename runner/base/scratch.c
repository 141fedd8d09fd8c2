/* Scratch folders: made, locked, and swept when whoever made them died.
 *
 *   lib_scratch_make(): sweep what nobody holds --> mkdtemp --> flock --> still there? --> the caller's
 *                                                   ^--- no: a sweeper was faster ---+ */
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

static void scratch_sweep(const char *parent) {
    DIR *d = opendir(parent);
    for (struct dirent *e; d && (e = readdir(d));) {
        /* Only what mkdtemp() names so: nobody's else, should the parent not be ours alone. */
        if (e->d_name[0] == '.' || strlen(e->d_name) != strlen("XXXXXX")) continue;
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
        char *path = lib_path_join(parent, "XXXXXX");
        struct stat st;
        if (!mkdtemp(path)) {
            lib_message_set2(msg, "cannot make a folder in %s: %s", "无法在 %s 中创建文件夹：%s",
                             parent, strerror(errno));
            free(path);
            return false;
        }
        s->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        /* A file system without locks: then it is not swept either. */
        if (s->lock >= 0) flock(s->lock, LOCK_SH);
        if (s->lock >= 0 && !stat(path, &st)) {
            s->path = path;
            return true;
        }
        if (s->lock >= 0) close(s->lock);
        s->lock = -1;
        free(path);
    }
    lib_message_set2(msg, "cannot keep a folder in %s: something removes it at once",
                     "无法在 %s 中保留文件夹：刚创建就被删除了", parent);
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
