/* The sandbox: every limit of limits.def is broken on purpose and must hold; ends of processes are
 * told apart; output is capped; children of a killed process do not live on. This program is its
 * own probe: run with --probe NAME it makes the attempt. */
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"

static void on_limit(void *user, const char *name, lib_word_id what, bool held,
                     const lib_message *detail) {
    (void)user;
    char text[700], came[700];
    snprintf(text, sizeof text, "a submission cannot %s (%s)", lib_word(LIB_EN, what), name);
    check_that(held, __FILE__, __LINE__, text, lib_message_text(came, sizeof came, LIB_EN, detail));
}

static sandbox_exit run_in(sandbox_mode mode, const char *program, const char *a, const char *b,
                           double wall) {
    const char *const argv[] = {program, a, b, NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = mode;
    s.argv = argv;
    s.wall_s = wall;
    s.may_fork = true;
    s.output_bytes = 1000;
    sandbox_exit e;
    lib_message msg = {0};
    int rc = sandbox_run(&s, &e, &msg);
    CHECK_STR(said(&msg), "");
    CHECK_INT(rc, 0);
    return e;
}

static void test_ends(sandbox_mode mode) {
    sandbox_exit e = run_in(mode, "/usr/bin/sh", "-c", "echo out; echo err >&2; exit 3", 10);
    CHECK_INT(e.end, SANDBOX_END_EXIT);
    CHECK_INT(e.code, 3);
    CHECK(WIFEXITED(e.wait_status) && WEXITSTATUS(e.wait_status) == 3);
    CHECK_STR(e.output, "out\nerr\n");
    sandbox_exit_free(&e);

    e = run_in(mode, "/usr/bin/sh", "-c", "kill -SEGV $$", 10);
    CHECK_INT(e.end, SANDBOX_END_SIGNAL);
    CHECK_INT(e.code, SIGSEGV);
    CHECK(!e.over_memory);
    CHECK(WIFSIGNALED(e.wait_status) && WTERMSIG(e.wait_status) == SIGSEGV);
    char text[128];
    lib_message how;
    sandbox_exit_message(&e, &how);
    lib_message_text(text, sizeof text, LIB_EN, &how);
    CHECK_CONTAINS(text, "SIGSEGV");
    sandbox_exit_free(&e);

    /* A grandchild that keeps the pipe open must not keep us waiting, whether its parent ends or is
     * killed. */
    double begin = lib_now();
    e = run_in(mode, "/usr/bin/sh", "-c", "echo early; sleep 30 & exit 0", 20);
    CHECK_INT(e.end, SANDBOX_END_EXIT);
    CHECK_STR(e.output, "early\n");
    sandbox_exit_free(&e);
    e = run_in(mode, "/usr/bin/sh", "-c", "sleep 31 & sleep 31", 0.3);
    CHECK_INT(e.end, SANDBOX_END_TIMEOUT);
    CHECK(lib_now() - begin < 10);
    sandbox_exit_free(&e);

    e = run_in(mode, "/usr/bin/sh", "-c", "head -c 5000 /dev/zero | tr '\\0' x", 10);
    CHECK(e.output_cut);
    CHECK(e.output_len > 1000 && e.output_len < 1100);
    CHECK_CONTAINS(e.output, "output cut after 1000 bytes");
    sandbox_exit_free(&e);

    const char *const missing[] = {"/no/such/program", NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = mode;
    s.argv = missing;
    s.wall_s = 10;
    lib_message msg = {0};
    int rc = sandbox_run(&s, &e, &msg);
    CHECK(rc != 0 || e.end == SANDBOX_END_NOT_STARTED); /* in the sandbox warplab-init says so */
    if (!rc) CHECK_CONTAINS(e.output, "/no/such/program");
    else CHECK_CONTAINS(said(&msg), "/no/such/program");
    if (!rc) sandbox_exit_free(&e);
}

/* A socket arrives as descriptor 3 and nothing else is open. */
static void test_descriptor(sandbox_mode mode) {
    int pair[2], stray = dup(1); /* not close-on-exec, as a careless library leaves one */
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    const char *const argv[] = {"/usr/bin/ls", "/proc/self/fd", NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = mode;
    s.argv = argv;
    s.wall_s = 10;
    s.pass_fd = pair[1];
    sandbox_exit e;
    lib_message msg = {0};
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    CHECK_STR(e.output, "0\n1\n2\n3\n4\n"); /* 4 is ls's own, the folder it lists */
    sandbox_exit_free(&e);
    const char *const talk[] = {"/usr/bin/sh", "-c", "echo fd $WARPLAB_FD >&3", NULL};
    s.argv = talk;
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    char text[100] = "";
    CHECK_INT(read(pair[0], text, sizeof text - 1), 5);
    CHECK_STR(text, "fd 3\n");
    sandbox_exit_free(&e);
    close(pair[0]);
    close(pair[1]);
    close(stray);
}

static volatile int cancel;
static void set_cancel(int signal) {
    (void)signal;
    cancel = 1;
}

static void test_cancel(void) {
    const char *const argv[] = {"/usr/bin/sleep", "30", NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = SANDBOX_IF_ANY;
    s.argv = argv;
    s.cancel = &cancel;
    signal(SIGALRM, set_cancel);
    ualarm(200000, 0);
    double begin = lib_now();
    sandbox_exit e;
    lib_message msg;
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    CHECK_INT(e.end, SANDBOX_END_CANCELLED);
    CHECK(lib_now() - begin < 5);
    sandbox_exit_free(&e);
    /* Killing one that runs. */
    sandbox_process p;
    CHECK_INT(sandbox_process_start(&s, &p, &msg), 0);
    sandbox_process_kill(&p, &e);
    CHECK_INT(e.end, SANDBOX_END_SIGNAL);
    CHECK_INT(e.code, SIGKILL);
    sandbox_exit_free(&e);
}

/* Runs a script that is to leave something behind, and says whether that did what it wanted: to
 * write a file, a while after the script had ended. */
static bool leaves_behind(sandbox_mode mode, const char *script, double wall) {
    char folder[] = "/tmp/warplab-left-XXXXXX", file[64], text[512];
    if (!mkdtemp(folder)) return true;
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(text, sizeof text, "export FILE=%s; %s", file, script);
    sandbox_exit e = run_in(mode, "/usr/bin/sh", "-c", text, wall);
    sandbox_exit_free(&e);
    usleep(900000);
    bool left = !access(file, F_OK);
    unlink(file);
    rmdir(folder);
    return left;
}

/* Without a sandbox, too, what a program starts ends with it: in a session of its own, after its
 * parent, and when the program killed the process that should have ended it. */
static void test_left_behind(void) {
    static const char *const scripts[] = {
        "(setsid sh -c 'sleep 0.6; touch $FILE' &); exit 0",
        "(setsid sh -c '(setsid sh -c \"sleep 0.6; touch $FILE\" &)' &); sleep 0.1; exit 0",
        "(setsid sh -c 'trap \"\" TERM HUP INT; sleep 0.6; touch $FILE' &); kill -TERM 0",
        "(setsid sh -c 'sleep 0.6; touch $FILE' &); kill -KILL $PPID; exit 0",
        "(setsid sh -c 'sleep 0.6; touch $FILE' &); kill -STOP $PPID; sleep 5"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        check_that(!leaves_behind(SANDBOX_NONE, scripts[i], 0.5), __FILE__, __LINE__,
                   "nothing is left behind", scripts[i]);
    /* And while it runs it is there: the script and the file are what the test takes them for. */
    check_that(leaves_behind(SANDBOX_NONE, "sh -c 'sleep 0.1; touch $FILE'", 5), __FILE__, __LINE__,
               "a child that is waited for does its work", "");
}

/* Four processes of 100 MB each, below the limit of every one of them. */
static void test_memory_of_all(sandbox_mode mode, uint64_t limit, bool fits) {
    const char *const argv[] = {
        "/usr/bin/sh", "-c",
        "for i in 1 2 3 4; do dd if=/dev/zero bs=100M count=1 2>/dev/null | tail -c 100M | (sleep "
        "0.5; wc -c) >/dev/null & done; wait",
        NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = mode;
    s.argv = argv;
    s.may_fork = true;
    s.memory = (uint64_t)1 << 30;
    s.resident = limit;
    sandbox_exit e;
    lib_message msg = {0};
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    CHECK_INT(e.end, fits ? SANDBOX_END_EXIT : SANDBOX_END_SIGNAL);
    CHECK_INT(e.code, fits ? 0 : SIGKILL);
    CHECK(e.over_memory == !fits);
    sandbox_exit_free(&e);
}

/* What the sandbox cannot do is not the program's exit status, whatever that is. */
static void test_not_started(void) {
    sandbox_exit e =
        run_in(SANDBOX_REQUIRED, "/usr/bin/sh", "-c", "echo 'bwrap: no' >&2; exit 1", 10);
    CHECK_INT(e.end, SANDBOX_END_EXIT);
    CHECK_INT(e.code, 1);
    sandbox_exit_free(&e);

    e = run_in(SANDBOX_REQUIRED, "/usr/bin/sh", "-c",
               "echo 'warplab-init: cannot start /usr/bin/sh' >&2; exit 127", 10);
    CHECK_INT(e.end, SANDBOX_END_EXIT);
    CHECK_INT(e.code, 127);
    sandbox_exit_free(&e);
    e = run_in(SANDBOX_REQUIRED, "/usr/no/such/program", NULL, NULL, 10);
    CHECK_INT(e.end, SANDBOX_END_NOT_STARTED);
    CHECK_CONTAINS(e.output,
                   "warplab-init: cannot start /usr/no/such/program: could not execute it");
    sandbox_exit_free(&e);

    const char *const argv[] = {"/usr/bin/true", NULL};
    const sandbox_bind nowhere = {.from = "/usr/bin/true", .to = "/usr/no/folder/here"};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.argv = argv;
    s.binds = &nowhere;
    s.bind_count = 1;
    lib_message msg = {0};
    CHECK_INT(sandbox_run(&s, &e, &msg), 0);
    CHECK_INT(e.end, SANDBOX_END_NOT_STARTED);
    char text[256];
    lib_message how;
    sandbox_exit_message(&e, &how);
    lib_message_text(text, sizeof text, LIB_EN, &how);
    CHECK_CONTAINS(text, "the sandbox did not start it: bwrap: ");
    sandbox_exit_free(&e);
}

/* Once more where no cgroup holds the memory of all. */
static void test_without_cgroup(const char *self) {
    const char *const argv[] = {self, "--no-cgroup", NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.mode = SANDBOX_NONE;
    q.argv = argv;
    q.memory = 0;
    q.file_bytes = 0;
    q.wall_s = q.cpu_s = 600; /* an emulated machine takes a while */
    sandbox_exit e;
    lib_message msg = {0};
    CHECK_INT(sandbox_run(&q, &e, &msg), 0);
    const char *line = strstr(e.output, "not ok");
    check_that(e.end == SANDBOX_END_EXIT && !e.code, __FILE__, __LINE__,
               "everything holds without a cgroup", line ? line : e.output);
    sandbox_exit_free(&e);
}

/* A project that is installed below /usr, which the sandbox shows: its folder is empty inside. This
 * program again, with that project as its own; without it the file is there. */
static void test_project_below_usr(void) {
    char root[] = "/usr/local/warplab-test-XXXXXX", self[4096] = "", libs[4096], at[4200];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !mkdtemp(root)) {
        printf("skip a project below /usr (needs to write there)\n");
        return;
    }
    static const char *const folders[] = {"labs", "kernels", "answers"};
    for (int i = 0; i < 3; i++) {
        snprintf(at, sizeof at, "%s/%s", root, folders[i]);
        mkdir(at, 0755);
    }
    chmod(root, 0755);
    snprintf(libs, sizeof libs, "%s", self);
    *strrchr(libs, '/') = 0;
    *strrchr(libs, '/') = 0;
    char *root_is = lib_format("WARPLAB_ROOT=%s", root),
         *libs_are = lib_format("WARPLAB_LIBS=%s", libs);
    for (int own = 0; own < 2; own++) {
        const char *const argv[] = {self, "--list", root, NULL}, *const env[] = {
                                                                     libs_are, own ? root_is : NULL,
                                                                     NULL};
        sandbox_spawn q;
        sandbox_spawn_init(&q);
        q.mode = SANDBOX_NONE;
        q.argv = argv;
        q.env = env;
        sandbox_exit e;
        lib_message msg = {0};
        CHECK_INT(sandbox_run(&q, &e, &msg), 0);
        CHECK_STR(e.output, own ? "" : "answers\nkernels\nlabs\n");
        sandbox_exit_free(&e);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(at, sizeof at, "%s/%s", root, folders[i]);
        rmdir(at);
    }
    rmdir(root);
    free(root_is);
    free(libs_are);
}

/* What the sandbox shows of a folder. */
static int list_inside(const char *folder) {
    const char *const argv[] = {"/usr/bin/ls", folder, NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.argv = argv;
    sandbox_exit e;
    lib_message msg = {0};
    if (sandbox_run(&q, &e, &msg)) return puts(said(&msg)), 1;
    fputs(e.output, stdout);
    sandbox_exit_free(&e);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--probe")) return sandbox_probe_child(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "--list")) return list_inside(argv[2]);
    bool again = argc == 2 && !strcmp(argv[1], "--no-cgroup");
    if (again) setenv("WARPLAB_NO_CGROUP", "1", 1);
    const sandbox_found *s = sandbox_get();
    if (!again) {
        test_ends(SANDBOX_NONE);
        test_descriptor(SANDBOX_NONE);
        test_left_behind();
        test_memory_of_all(SANDBOX_NONE, (uint64_t)200 << 20, false);
        test_memory_of_all(SANDBOX_NONE, (uint64_t)4 << 30, true);
        test_cancel();
    }
    if (s->works) {
        test_ends(SANDBOX_REQUIRED);
        test_descriptor(SANDBOX_REQUIRED);
        test_not_started();
        /* A cgroup ends one of them, and the shell that waits for it goes on. */
        if (!s->cgroup) test_memory_of_all(SANDBOX_REQUIRED, (uint64_t)200 << 20, false);
        test_memory_of_all(SANDBOX_REQUIRED, (uint64_t)4 << 30, true);
        sandbox_probe(on_limit, NULL);
    } else {
        /* Then untrusted work must be refused, with the reason. */
        printf("# no sandbox here: ");
        lib_words_print(stdout, LIB_EN, lib_message_words(&s->why_not));
        puts("");
        sandbox_spawn q;
        sandbox_spawn_init(&q);
        q.argv = (const char *const[]){"/usr/bin/true", NULL};
        sandbox_process p;
        lib_message msg = {0};
        CHECK_INT(sandbox_process_start(&q, &p, &msg), -1);
        CHECK_CONTAINS(said(&msg), "no sandbox");
    }
    if (s->works && !again) test_project_below_usr();
    /* Whatever was killed above has been waited for, and what fell to us from it. */
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    if (s->cgroup) {
        char self[4096] = "";
        if (readlink("/proc/self/exe", self, sizeof self - 1) > 0) test_without_cgroup(self);
    }
    return check_done();
}
