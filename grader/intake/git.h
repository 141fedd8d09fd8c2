/* Reads files of a git repository at a commit. The program git reads them; nothing is checked
 * out. */
#ifndef WARPLAB_GRADER_GIT_H
#define WARPLAB_GRADER_GIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

/* Finds a commit. `at` is NULL (HEAD), a point in time (the last commit before it, by the commits'
 * own times), or a commit's name. *time: the commit's own time. Returns false and sets *msg on an
 * error. */
bool git_commit_at(const char *repository, const char *at, int zone, char commit[65], int64_t *time,
                   lib_message *msg);
/* Returns the paths of a commit's regular files, each ended by a NUL; malloc'ed. NULL and *msg on
 * an error. */
char *git_list(const char *repository, const char *commit, size_t *n, lib_message *msg);
/* Returns at most limit + 1 bytes of a file; malloc'ed. NULL and *msg on an error. */
char *git_bytes(const char *repository, const char *commit, const char *path, size_t limit,
                size_t *n, lib_message *msg);

#endif
