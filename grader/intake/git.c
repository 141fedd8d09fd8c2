/* Reads a repository by the program git. Neither the repository nor its contents are trusted: of
 * its configuration, only settings that cannot start a program are used; no hook runs; no object is
 * fetched; all commands only read objects. */
#include "grader/intake/git.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/say.h"
#include "grader/intake/when.h"
#include "words/intake.h"

/* LOOK_MS: how often it looks whether the user has cancelled */
enum { SECONDS = 60, LOOK_MS = 100, LIST_LIMIT = 4 << 20, ARGS = 12 };

static bool read_pipe(int fd, size_t limit, char **data, size_t *n) {
    double end = lib_now() + SECONDS;
    *data = malloc(limit + 2);
    *n = 0;
    while (*data && *n <= limit) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        double left = end - lib_now();
        if (left <= 0 || lib_raised(lib_cancel())) return false;
        int ready = poll(&p, 1, left * 1000 < LOOK_MS ? (int)(left * 1000) + 1 : LOOK_MS);
        if (!ready || (ready < 0 && errno == EINTR)) continue;
        if (ready < 0) return false;
        ssize_t k = read(fd, *data + *n, limit + 1 - *n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return false;
        if (!k) break;
        *n += (size_t)k;
    }
    if (*data) (*data)[*n] = 0;
    return *data != NULL;
}

/* Returns the output of `git -C repository ARGS`, at most limit + 1 bytes; NULL if it failed. */
static char *git(const char *repository, const char *const *args, size_t limit, size_t *n) {
    static const char *const fixed[] = {
        "git", "--no-replace-objects",     "-c", "core.fsmonitor=false",
        "-c",  "core.hooksPath=/dev/null", "-c", "safe.directory=*",
        "-C"};
    /* ALLOW_PROTOCOL: a clone without all objects would ask its remote for them, and a
     * configuration can make the remote any program. */
    static char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                "HOME=/nonexistent",
                                "LC_ALL=C",
                                "GIT_CONFIG_NOSYSTEM=1",
                                "GIT_CONFIG_GLOBAL=/dev/null",
                                "GIT_TERMINAL_PROMPT=0",
                                "GIT_OPTIONAL_LOCKS=0",
                                "GIT_NO_LAZY_FETCH=1",
                                "GIT_ALLOW_PROTOCOL=none",
                                "GIT_PAGER=cat",
                                NULL};
    const char *argv[sizeof fixed / sizeof *fixed + ARGS + 2];
    size_t k = 0;
    int ends[2], status = -1;
    pid_t pid;
    char *data = NULL;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[k++] = fixed[i];
    argv[k++] = repository;
    for (size_t i = 0; i < ARGS && args[i]; i++) argv[k++] = args[i];
    argv[k] = NULL;
    if (pipe2(ends, O_CLOEXEC)) return NULL;
    posix_spawn_file_actions_t acts;
    posix_spawn_file_actions_init(&acts);
    posix_spawn_file_actions_adddup2(&acts, ends[1], 1);
    posix_spawn_file_actions_addopen(&acts, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&acts, 2, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawnp(&pid, "git", &acts, NULL, (char *const *)argv, env);
    posix_spawn_file_actions_destroy(&acts);
    close(ends[1]);
    if (!rc) {
        bool ok = read_pipe(ends[0], limit, &data, n);
        if (!ok || *n > limit) kill(pid, SIGKILL);
        status = lib_child_wait(pid, false, lib_cancel(), 0);
        if (!ok || (*n <= limit && status != 0)) {
            free(data);
            data = NULL;
        }
    }
    close(ends[0]);
    return data;
}

bool git_commit_at(const char *repository, const char *at, int zone, char commit[65], int64_t *time,
                   lib_message *msg) {
    char before[40], name[160];
    int64_t moment;
    size_t n;
    bool by_time = at && when_read(at, zone, &moment);
    if (by_time) SAY(before, "--before=%lld", (long long)moment);
    /* Accept only the name of a commit, and nothing that git could read as an option. */
    SAY(name, "%s^{commit}", !at || by_time ? "HEAD" : at);
    if (at && !by_time && (strlen(at) > 100 || *at == '-')) {
        lib_message_set(msg, w_intake_neither_commit_nor_moment(at));
        return false;
    }
    const char *const args[] = {
        "rev-list", "-1", "--format=%ct", by_time ? before : "--date-order", name, "--", NULL};
    char *text = git(repository, args, 4096, &n);
    long long made = 0;
    bool ok = text && sscanf(text, "commit %64[0-9a-f] %lld", commit, &made) == 2;
    *time = made;
    if (!ok)
        lib_message_set(msg, by_time ? w_intake_no_commit_before(repository, at)
                                     : w_intake_no_such_commit(repository, at ? at : "HEAD"));
    free(text);
    return ok;
}

char *git_list(const char *repository, const char *commit, size_t *n, lib_message *msg) {
    const char *const args[] = {"ls-tree", "-r", "-z", "--name-only", commit, "--", NULL};
    char *text = git(repository, args, LIST_LIMIT, n);
    if (text && *n <= LIST_LIMIT) return text;
    free(text);
    lib_message_set(msg, w_intake_commit_files_not_listed(repository));
    return NULL;
}

char *git_bytes(const char *repository, const char *commit, const char *path, size_t limit,
                size_t *n, lib_message *msg) {
    char name[1200];
    SAY(name, "%s:%s", commit, path);
    const char *const args[] = {"cat-file", "blob", name, NULL};
    char *text = git(repository, args, limit, n);
    if (!text) lib_message_set(msg, w_intake_git_blob_not_readable(path, repository));
    return text;
}
