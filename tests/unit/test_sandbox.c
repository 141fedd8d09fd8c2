/* The sandbox: every limit of limits.def is broken on purpose and must hold; ends of processes are told
 * apart; output is capped; children of a killed process do not live on. This program is its own probe: run
 * with --probe NAME it makes the attempt. */
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../check.h"

static void on_limit(void *user, sandbox_limit limit, const char *name, const char *what, bool held,
                     const char *detail) {
    (void)user;
    (void)limit;
    char text[700];
    snprintf(text, sizeof text, "a submission cannot %s (%s)", what, name);
    check_that(held, __FILE__, __LINE__, text, detail);
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
    CHECK_STR(msg.text, "");
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
    CHECK(WIFSIGNALED(e.wait_status) && WTERMSIG(e.wait_status) == SIGSEGV);
    char text[128];
    sandbox_exit_text(&e, text, sizeof text);
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
    CHECK(rc != 0 ||
          (e.end == SANDBOX_END_EXIT && e.code != 0)); /* in the sandbox it is bwrap that says so */
    if (!rc) CHECK_CONTAINS(e.output, "/no/such/program");
    else CHECK_CONTAINS(msg.text, "/no/such/program");
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

/* What the sandbox cannot do is not the program's exit status, whatever that is. */
static void test_not_started(void) {
    sandbox_exit e =
        run_in(SANDBOX_REQUIRED, "/usr/bin/sh", "-c", "echo 'bwrap: no' >&2; exit 1", 10);
    CHECK_INT(e.end, SANDBOX_END_EXIT);
    CHECK_INT(e.code, 1);
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
    sandbox_exit_text(&e, text, sizeof text);
    CHECK_CONTAINS(text, "the sandbox did not start it: bwrap: ");
    sandbox_exit_free(&e);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--probe")) return sandbox_probe_child(argv[2]);
    const sandbox_found *s = sandbox_get();
    test_ends(SANDBOX_NONE);
    test_descriptor(SANDBOX_NONE);
    test_cancel();
    if (s->works) {
        test_ends(SANDBOX_REQUIRED);
        test_descriptor(SANDBOX_REQUIRED);
        test_not_started();
        sandbox_probe(on_limit, NULL);
    } else {
        /* Then untrusted work must be refused, with the reason. */
        printf("# no sandbox here: %s\n", s->why_not);
        sandbox_spawn q;
        sandbox_spawn_init(&q);
        q.argv = (const char *const[]){"/usr/bin/true", NULL};
        sandbox_process p;
        lib_message msg = {0};
        CHECK_INT(sandbox_process_start(&q, &p, &msg), -1);
        CHECK_CONTAINS(msg.text, "no sandbox");
    }
    return check_done();
}
