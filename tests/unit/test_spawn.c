/* A child process without a sandbox (spawn.c): what it inherits and what it does not, how its ends
 * are told apart, and how much of its output is kept. What holds in the sandbox too is in
 * test_sandbox.c; of the sandbox only what needs none is here: the pipe that bwrap is handed, a
 * cgroup's folders, and who is an orphan. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/sandbox/bubblewrap.h"
#include "runner/sandbox/cgroup.h"
#include "runner/sandbox/orphans.h"
#include "runner/sandbox/sandbox.h"
#include "runner/sandbox/spawn.h"
#include "tests/check.h"
#include "tests/said.h"

static char folder[] = "/tmp/warplab-test-spawn.XXXXXX";

static sandbox_spawn sh(const char *script) {
    static const char *argv[] = {"/bin/sh", "-c", NULL, NULL};
    argv[2] = script;
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = SANDBOX_NONE;
    s.argv = argv;
    s.wall_s = 20;
    return s;
}
static sandbox_exit run(const sandbox_spawn *s) {
    sandbox_exit e = {0};
    lib_message msg = {0};
    CHECK_INT(sandbox_run(s, &e, &msg), 0);
    CHECK_STR(said(&msg), "");
    return e;
}
static void prints(sandbox_spawn s, const char *want) {
    sandbox_exit e = run(&s);
    CHECK_STR(e.output, want);
    CHECK_INT(e.output_len, strlen(want));
    sandbox_exit_free(&e);
}

/* So many bytes are kept, however they come. */
static void output(void) {
    static const struct {
        unsigned bytes, limit;
    } rows[] = {{0, 10}, {9, 10}, {10, 10}, {11, 10}, {200000, 10}, {200000, 100000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[100], note[100] = "";
        snprintf(script, sizeof script, "head -c %u /dev/zero | tr '\\0' x", rows[i].bytes);
        sandbox_spawn s = sh(script);
        s.output_bytes = rows[i].limit;
        sandbox_exit e = run(&s);
        bool cut = rows[i].bytes > rows[i].limit;
        size_t kept = cut ? rows[i].limit : rows[i].bytes;
        if (cut) snprintf(note, sizeof note, "\n[output cut after %u bytes]\n", rows[i].limit);
        CHECK_INT(e.output_cut, cut);
        CHECK_INT(e.output_len, kept + strlen(note));
        CHECK_INT(strspn(e.output, "x"), kept);
        CHECK_STR(e.output + kept, note);
        sandbox_exit_free(&e);
        CHECK(!e.output && !e.output_len);
    }
}

/* What errno was before means nothing: EINTR is only looked at where a call failed. */
static void stale_errno(void) {
    sandbox_spawn s = sh("exit 5");
    sandbox_exit e = {0};
    lib_message msg = {0};
    errno = EINTR;
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    CHECK_INT(e.code, 5);
    sandbox_exit_free(&e);
}

/* Each end, and its words. */
static void ends(void) {
    static const struct {
        const char *script;
        double wall_s;
        sandbox_end end;
        int code;
        const char *text;
    } rows[] = {
        {"exit 0", 20, SANDBOX_END_EXIT, 0, "exit status 0"},
        {"exit 3", 20, SANDBOX_END_EXIT, 3, "exit status 3"},
        {"exit 128", 20, SANDBOX_END_EXIT, 128, "exit status 128"},
        {"exit 255", 20, SANDBOX_END_EXIT, 255, "exit status 255"},
        {"kill -HUP $$", 20, SANDBOX_END_SIGNAL, SIGHUP, NULL},
        {"kill -SEGV $$", 20, SANDBOX_END_SIGNAL, SIGSEGV,
         "signal SIGSEGV (invalid memory reference)"},
        {"kill -XFSZ $$", 20, SANDBOX_END_SIGNAL, SIGXFSZ,
         "signal SIGXFSZ (the limit on file size)"},
        {"sleep 20 & sleep 20", 0.2, SANDBOX_END_TIMEOUT, -1, "the time limit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sandbox_spawn s = sh(rows[i].script);
        s.wall_s = rows[i].wall_s;
        double begin = lib_now();
        sandbox_exit e = run(&s);
        char text[200];
        CHECK_INT(e.end, rows[i].end);
        if (rows[i].code >= 0) CHECK_INT(e.code, rows[i].code);
        if (rows[i].end == SANDBOX_END_EXIT)
            CHECK(WIFEXITED(e.wait_status) && WEXITSTATUS(e.wait_status) == rows[i].code);
        if (rows[i].end == SANDBOX_END_SIGNAL)
            CHECK(WIFSIGNALED(e.wait_status) && WTERMSIG(e.wait_status) == rows[i].code);
        lib_message how;
        sandbox_exit_message(&e, &how);
        lib_message_text(text, sizeof text, LIB_EN, &how);
        if (rows[i].text) CHECK_STR(text, rows[i].text);
        CHECK(lib_now() - begin < 10);
        sandbox_exit_free(&e);
    }
    /* Words alone: of a signal that has none of ours, and of what did not begin. */
    static char said[] = "no such file\nand more";
    static const struct {
        sandbox_exit e;
        const char *text;
    } words[] = {
        {{.end = SANDBOX_END_CANCELLED}, "cancelled"},
        {{.end = SANDBOX_END_SIGNAL, .code = SIGUSR1}, "signal 10 (User defined signal 1)"},
        {{.end = SANDBOX_END_SIGNAL, .code = SIGSYS}, "signal SIGSYS (a forbidden system call)"},
        {{.end = SANDBOX_END_NOT_STARTED}, "the sandbox did not start it: "},
        {{.end = SANDBOX_END_NOT_STARTED, .output = said},
         "the sandbox did not start it: no such file"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[200];
        lib_message how;
        sandbox_exit_message(&words[i].e, &how);
        lib_message_text(text, sizeof text, LIB_EN, &how);
        CHECK_STR(text, words[i].text);
    }
    /* Somebody does not want to wait. */
    volatile int cancel = 1;
    sandbox_spawn s = sh("sleep 20");
    s.cancel = &cancel;
    sandbox_exit e = run(&s);
    CHECK_INT(e.end, SANDBOX_END_CANCELLED);
    sandbox_exit_free(&e);
}

/* Signals that are ignored or blocked here are neither there: signal(7)'s standard ones. */
static void signals(void) {
    enum { FIRST = 1, LAST = 31 };
    void (*old[LAST + 1])(int) = {0};
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR2);
    sigprocmask(SIG_BLOCK, &block, &before);
    for (int s = FIRST; s <= LAST; s++)
        if (s != SIGKILL && s != SIGSTOP && s != SIGCHLD) old[s] = signal(s, SIG_IGN);
    /* Those of 32 and above are the C library's and this process's callers'. */
    prints(sh("while read -r name mask; do case $name in SigBlk:|SigIgn:) echo $name $((0x$mask & "
              "0x7fffffff));;"
              " esac; done </proc/self/status"),
           "SigBlk: 0\nSigIgn: 0\n");
    for (int s = FIRST; s <= LAST; s++)
        if (s != SIGKILL && s != SIGSTOP && s != SIGCHLD) signal(s, old[s]);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Its environment, folder, input and limits are those that it is given. */
static void given(void) {
    static const char *const env[] = {"A=mine", "CC=2", NULL};
    setenv("A", "theirs", 1);
    setenv("C", "3", 1);
    unsetenv("CC"); /* which a machine may have */
    setenv("LANG", "C", 1);
    setenv("HOME", "/tmp", 1);
    sandbox_spawn s =
        sh("echo $A $CC $C $LANG ${HOME:+home}; tr '\\0' '\\n' </proc/$$/environ | grep -c ^A=");
    prints(s, "C home\n0\n");
    s.env = env;
    prints(s, "mine 2 C home\n1\n");
    s.inherit_env = true;
    prints(s, "mine 2 3 C home\n1\n");
    s.env = NULL;
    prints(s, "theirs 3 C home\n1\n");

    s = sh("pwd; cat");
    s.cwd = folder;
    char want[100], path[100];
    snprintf(want, sizeof want, "%s\n", folder);
    prints(s, want); /* there is nothing to read */
    snprintf(path, sizeof path, "%s/input", folder);
    lib_write_file(path, "typed", 5, NULL);
    s.input_fd = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(want, sizeof want, "%s\ntyped", folder);
    prints(s, want);
    close(s.input_fd);

    /* ulimit counts files in 512 bytes and memory in KB; seconds of computing are rounded up */
    s = sh("ulimit -c; ulimit -f; ulimit -v; ulimit -t");
    s.file_bytes = 1 << 20;
    s.memory = (uint64_t)2 << 30;
    s.cpu_s = 6.5;
    prints(s, "0\n2048\n2097152\n7\n");
    s.cpu_s = 7;
    prints(s, "0\n2048\n2097152\n7\n");

    /* The descriptor that is passed is the fourth, and it is told so; no other is open. */
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    s = sh("echo $WARPLAB_FD; echo sent >&3; ls /proc/self/fd | tr '\\n' ' '");
    s.pass_fd = ends[1];
    prints(s, "3\n0 1 2 3 4 ");
    char text[20] = "";
    CHECK_INT(read(ends[0], text, sizeof text - 1), 5);
    CHECK_STR(text, "sent\n");
    s.pass_fd = -1;
    s.argv = (const char *const[]){"/bin/sh", "-c",
                                   "echo $WARPLAB_FD; ls /proc/self/fd | tr '\\n' ' '", NULL};
    prints(s, "\n0 1 2 3 ");
    close(ends[0]);
    close(ends[1]);
}

/* What cannot be started says so, and why. */
static void no_start(void) {
    sandbox_exit e = {0};
    lib_message msg = {0};
    sandbox_spawn s = sh("exit 0");
    s.argv = (const char *const[]){"/no/such/program", NULL};
    CHECK_INT(sandbox_run(&s, &e, &msg), -1);
    CHECK_STR(said(&msg), "cannot start /no/such/program: No such file or directory");
    CHECK_STR(said_zh(&msg), "无法启动 /no/such/program：没有这个文件或文件夹");
    s = sh("exit 0");
    s.cwd = "/no/such/folder";
    CHECK_INT(sandbox_run(&s, &e, &msg), -1);
    CHECK_CONTAINS(said(&msg), ": could not enter its folder: No such file or directory");
    CHECK_CONTAINS(said_zh(&msg), "：进入程序的文件夹失败：");
}

/* What bwrap says of itself comes through a pipe that no other program gets, and that nobody waits
 * at while it says nothing. */
static void status_pipe(void) {
    sandbox_spawn s = sh("exit 0");
    const sandbox_found found = {.program = "/usr/bin/bwrap", .init = "/bin/sh", .root = "/opt"};
    sandbox_argv *a = calloc(1, sizeof *a);
    *a = (sandbox_argv){.status = -1};
    lib_message msg = {0};
    CHECK(sandbox_arguments(&s, &found, a, &msg));
    CHECK_STR(said(&msg), "");
    int numbered = -1; /* which of the descriptors is the pipe's other end */
    for (size_t i = 0; i + 1 < a->argc; i++)
        if (!strcmp(a->argv[i], "--json-status-fd"))
            numbered = (int)strtol(a->argv[i + 1], NULL, 10) - SANDBOX_FIRST_FD;
    if (CHECK(numbered >= 0 && numbered < (int)a->fd_count)) {
        const int ends[] = {a->status, a->fds[numbered]};
        for (int i = 0; i < 2; i++) CHECK_INT(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
        char text[20] = "";
        CHECK(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
        CHECK_INT(write(ends[1], "said", 4), 4);
        CHECK_INT(read(ends[0], text, sizeof text - 1), 4);
        CHECK_STR(text, "said");
    }
    sandbox_argv_free(a);
    CHECK_INT(a->status, -1);
    free(a);
}

/* A process joins each of its groups by its number in their `cgroup.procs`. */
static void group_joined(void) {
    sandbox_process p = {.pid = -1, .status = -1};
    char file[2][160];
    for (int i = 0; i < 2; i++) {
        snprintf(p.cgroup[i], sizeof p.cgroup[i], "%s/joined%d", folder, i);
        CHECK_INT(mkdir(p.cgroup[i], 0755), 0);
        snprintf(file[i], sizeof file[i], "%s/cgroup.procs", p.cgroup[i]);
    }
    CHECK(!cgroup_enter(&p, 4711)); /* neither has one */
    for (int i = 0; i < 2; i++) {
        lib_message msg = {0};
        CHECK(lib_write_file(file[i], "", 0, &msg));
        CHECK_INT(cgroup_enter(&p, 4711), i == 1); /* both must take it */
    }
    for (int i = 0; i < 2; i++) {
        char *text = lib_read_file(file[i], 0, NULL, NULL);
        CHECK_STR(text, "4711");
        free(text);
    }
    *p.cgroup[0] = *p.cgroup[1] = 0;
    CHECK(cgroup_enter(&p, 4711)); /* of none */
}

/* A child that waits to be killed, a minute at most; in a session of its own, if asked. */
static pid_t waiter(bool own_session) {
    int ready[2];
    char c;
    CHECK_INT(pipe(ready), 0);
    pid_t pid = fork();
    if (!pid) {
        if (own_session) setsid();
        if (write(ready[1], "", 1) != 1) _exit(1);
        alarm(60), pause(), _exit(0);
    }
    CHECK_INT(read(ready[0], &c, 1), 1);
    close(ready[0]), close(ready[1]);
    return pid;
}

/* Who is ended as an orphan, when all are looked for or only that one: a child of another session
 * that nobody knows, and no other. */
static void orphans(bool one) {
    static const struct {
        bool own_session, known, ended;
    } rows[] = {
        {false, false, false}, {false, true, false}, {true, true, false}, {true, false, true}};
    enum { ROWS = sizeof rows / sizeof *rows };
    pid_t pid[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        pid[i] = waiter(rows[i].own_session);
        if (rows[i].known) orphans_know(pid[i]);
    }
    if (!one) orphans_end();
    for (size_t i = 0; i < ROWS; i++) {
        if (one) orphans_end_one(pid[i]);
        CHECK_INT(kill(pid[i], 0) != 0, rows[i].ended); /* that one was waited for too */
        if (rows[i].known) orphans_forget(pid[i]);
        if (!kill(pid[i], SIGKILL)) waitpid(pid[i], NULL, 0);
    }
}

/* A group's folders are removed, and no longer named: "folders to remove, "" if none". */
static void group_removed(void) {
    sandbox_process p = {.pid = -1, .status = -1};
    for (int i = 0; i < 2; i++) {
        snprintf(p.cgroup[i], sizeof p.cgroup[i], "%s/group%d", folder, i);
        CHECK_INT(mkdir(p.cgroup[i], 0755), 0);
    }
    cgroup_remove(&p);
    for (int i = 0; i < 2; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/group%d", folder, i);
        CHECK(access(path, F_OK) != 0);
        CHECK_STR(p.cgroup[i], "");
    }
}

/* A student's file and the baseline are built at once, so that two threads ask where warplab-init
 * is: each time it is all of the path. (Where one wrote it anew while the other read, a grading
 * ended with "cannot start ".) */
static atomic_uint wrong;
static void *ask_for_init(void *path) {
    lib_message msg;
    for (unsigned k = 0; k < 20000; k++) {
        const char *init = sandbox_init(&msg);
        if (!init || strcmp(init, path) != 0) wrong++;
    }
    return NULL;
}
static void asked_at_once(void) {
    lib_message msg = {0};
    const char *init = sandbox_init(&msg);
    CHECK(init != NULL);
    if (!init) return;
    char *path = strdup(init);
    pthread_t other;
    CHECK_INT(pthread_create(&other, NULL, ask_for_init, path), 0);
    ask_for_init(path);
    pthread_join(other, NULL);
    CHECK_INT(wrong, 0);
    free(path);
}

int main(void) {
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    output();
    stale_errno();
    ends();
    signals();
    given();
    no_start();
    status_pipe();
    group_joined();
    group_removed();
    orphans(false);
    orphans(true);
    asked_at_once();
    lib_remove_tree(folder);
    return check_done();
}
