/* Repositories as they were: a commit by name, by moment and as it is checked out, what is in it,
 * and bytes up to a limit. The commits' moments are set here; 1790848800 is 2026-10-01 10:00
 * UTC. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "grader/intake/git.h"
#include "tests/check.h"
#include "tests/said.h"

enum { HOUR = 3600 };
static const int64_t first = 1790848800;
static char root[64];
static lib_message msg;

static bool command(const char *text) {
    char whole[1500];
    snprintf(whole, sizeof whole, "cd %s && (%s) >/dev/null 2>&1", root, text);
    return system(whole) == 0;
}
static size_t open_files(void) {
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static void commits(char one[65], char two[65]) {
    char hundred[102], longer[102];
    memset(hundred, 'f', 100), hundred[100] = 0;
    memset(longer, 'f', 101), longer[101] = 0;
    const struct {
        const char *at;
        int zone, which; /* 0: none */
        const char *says;
    } rows[] = {
        {NULL, 0, 2, NULL},
        {"HEAD", 0, 2, NULL},
        {"HEAD~1", 0, 1, NULL},
        {"handed-in", 0, 1, NULL},
        {"2026-10-01 11:59:59", 0, 1, NULL},
        {"2026-10-01 12:00:00", 0, 2, NULL}, /* by then it was there */
        {"2026-10-01 10:00:00", 0, 1, NULL},
        {"2026-10-01 09:59:59", 0, 0, " has no such commit: before 2026-10-01 09:59:59"},
        {"2026-10-01 18:00:00", 480, 1, NULL}, /* ten o'clock, eight hours east */
        {"2026-10-01 17:59:59", 480, 0, " has no such commit: before 2026-10-01 17:59:59"},
        {"nowhere", 0, 0, " has no such commit: nowhere"},
        {"-x", 0, 0, "-x is neither a commit nor a moment (2026-10-01 23:59)"},
        {hundred, 0, 0, " has no such commit: ffff"},
        {longer, 0, 0, "f is neither a commit nor a moment (2026-10-01 23:59)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char commit[65] = "";
        int64_t time = -1;
        msg = (lib_message){0};
        printf("# %s\n", rows[i].at ? rows[i].at : "(as it is)");
        CHECK_INT(git_commit_at(root, rows[i].at, rows[i].zone, commit, &time, &msg),
                  rows[i].which != 0);
        if (rows[i].which) {
            CHECK_STR(said(&msg), "");
            CHECK_INT(strlen(commit), 40);
            CHECK_INT(time - first, rows[i].which == 2 ? 2 * HOUR : 0);
            snprintf(rows[i].which == 2 ? two : one, 65, "%s", commit);
        } else CHECK_CONTAINS(said(&msg), rows[i].says);
    }
    CHECK(strcmp(one, two) != 0);
}

static void contents(const char *one, const char *two) {
    static const char names[] = "a.cu\0b c.cu\0d/e.cu"; /* a NUL behind each */
    size_t n = 0;
    char *text = git_list(root, two, &n, &msg);
    CHECK(text && n == sizeof names && !memcmp(text, names, n));
    free(text);
    text = git_list(root, one, &n, &msg);
    CHECK(text && n == 5 && !strcmp(text, "a.cu"));
    free(text);
    msg = (lib_message){0};
    CHECK(!git_list(root, "nowhere", &n, &msg));
    CHECK_CONTAINS(said(&msg), "the files of ");
    static const struct {
        const char *path, *want;
        size_t limit;
        bool first;
    } rows[] = {
        {"a.cu", "early\n", 100, true}, {"a.cu", "later\n", 100, false},
        {"a.cu", "later\n", 6, false},  {"a.cu", "later\n", 5, false}, /* one more: it is longer */
        {"a.cu", "later", 4, false},    {"d/e.cu", "", 0, false},
        {"b c.cu", "b", 0, false},      {"none.cu", NULL, 100, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        msg = (lib_message){0};
        text = git_bytes(root, rows[i].first ? one : two, rows[i].path, rows[i].limit, &n, &msg);
        printf("# %s up to %zu\n", rows[i].path, rows[i].limit);
        CHECK_INT(text != NULL, rows[i].want != NULL);
        if (rows[i].want) {
            CHECK_STR(text, rows[i].want);
            CHECK_INT(n, strlen(rows[i].want));
            CHECK_STR(said(&msg), "");
        } else {
            char want[200];
            snprintf(want, sizeof want, "none.cu of %s cannot be read", root);
            CHECK_STR(said(&msg), want);
        }
        free(text);
    }
}

static bool cancels;
static void on_alarm(int signal) {
    (void)signal;
    lib_cancel_flag = cancels;
}

/* In place of git. A signal that is none of ours does not end what is read; Ctrl-C does, soon. */
static void signals(void) {
    char path[4300], commit[65] = "";
    int64_t time = 0;
    const char *before = getenv("PATH");
    struct sigaction alarmed = {.sa_handler = on_alarm};
    const struct itimerval soon = {.it_value = {.tv_usec = 200000}};
    if (!before) before = "/usr/bin:/bin";
    snprintf(path, sizeof path, "%s/bin:%s", root, before);
    sigaction(SIGALRM, &alarmed, NULL);
    CHECK(command(
        "mkdir bin && printf '#!/bin/sh\\nsleep 0.5; echo commit 0123abcd 12\\n' >bin/git && "
        "chmod +x bin/git"));
    char *kept = strdup(before);
    setenv("PATH", path, 1);
    setitimer(ITIMER_REAL, &soon, NULL);
    CHECK(git_commit_at(root, NULL, 0, commit, &time, &msg) && time == 12);
    CHECK_STR(commit, "0123abcd");
    CHECK(command("printf '#!/bin/sh\\nexec sleep 60\\n' >bin/git"));
    cancels = true;
    setitimer(ITIMER_REAL, &soon, NULL);
    double begin = lib_now();
    CHECK(!git_commit_at(root, NULL, 0, commit, &time, &msg));
    CHECK(lib_now() - begin < 20);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    lib_cancel_clear();
    setenv("PATH", kept, 1);
    free(kept);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-git-XXXXXX");
    if (!mkdtemp(root)) return 1;
    if (!command(
            "g() { git -c user.name=x -c user.email=x@x -c init.defaultBranch=main \"$@\"; }\n"
            "g init -q . && echo early >a.cu && g add . &&\n"
            "GIT_COMMITTER_DATE='2026-10-01T10:00:00Z' g commit -qm one && g tag handed-in &&\n"
            "echo later >a.cu && mkdir d && : >d/e.cu && echo b >'b c.cu' && g add . &&\n"
            "GIT_COMMITTER_DATE='2026-10-01T12:00:00Z' g commit -qm two"))
        printf("skip git repositories (git is not installed)\n");
    else {
        char one[65] = "", two[65] = "";
        size_t open_before = open_files();
        commits(one, two);
        contents(one, two);
        signals();
        CHECK_INT(open_files(), open_before);
    }
    lib_remove_tree(root);
    return check_count ? check_done() : 0;
}
