/* Files of a git repository as they were, read by the program git and never checked out. */
#ifndef WARPLAB_GRADER_GIT_H
#define WARPLAB_GRADER_GIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

/* The commit that `at` names: NULL is HEAD; a moment is the last commit before it, by the times that
 * the commits bear; anything else is a commit's name. *time: when it was made, as it says. */
bool git_commit_at(const char *repository, const char *at, int zone, char commit[65], int64_t *time,
                   lib_message *msg);
/* The regular files of a commit, "\0" behind each; malloc'ed. */
char *git_list(const char *repository, const char *commit, size_t *n, lib_message *msg);
/* At most limit + 1 bytes of one of them; malloc'ed. */
char *git_bytes(const char *repository, const char *commit, const char *path, size_t limit,
                size_t *n, lib_message *msg);

#endif
