/* Starts, watches and ends child processes.
 *
 *   ..._start_with()        everything is prepared before fork(); the child only makes system
 *                           calls, then execs
 *   a reader thread         empties the child's output into a limited buffer, so that a child never
 *                           blocks on a full pipe
 *   sandbox_process_wait()  a pidfd says when it ended; the clock or *cancel ends it; what it left
 *                           behind is killed
 *
 * In the sandbox, one SIGKILL of bwrap ends the whole PID namespace. Without a sandbox,
 * warplab-init is above the program and ends all that the program started, when the program ends or
 * when it gets SIGTERM. If warplab-init itself was killed, what is left becomes children of this
 * process (orphans.c). Only a program that has the terminal (profile) is a direct child of this
 * process. */
#include "runner/base/say.h"
#include "runner/sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/sandbox/bubblewrap.h"
#include "runner/sandbox/cgroup.h"
#include "runner/sandbox/orphans.h"
#include "words/sandbox.h"

extern char **environ;

void sandbox_spawn_init(sandbox_spawn *s) {
    *s = (sandbox_spawn){.mode = SANDBOX_REQUIRED,
                         .cpu_s = 60,
                         .wall_s = 120,
                         .file_bytes = 64u << 20,
                         .tmp_bytes = 64u << 20,
                         .processes = 64,
                         .output_bytes = 256u << 10,
                         .input_fd = -1,
                         .pass_fd = -1};
}

/* ---- the reader ---- */

typedef struct sandbox_reader {
    pthread_t thread;
    int fd, stop;
    uint64_t limit;
    lib_buffer text;
    bool cut;
} sandbox_reader;

static void *read_output(void *user) {
    sandbox_reader *r = user;
    char block[16384];
    for (bool stopping = false;;) {
        struct pollfd p[2] = {{.fd = r->fd, .events = POLLIN}, {.fd = r->stop, .events = POLLIN}};
        if (poll(p, stopping ? 1 : 2, stopping ? 0 : -1) < 0 && errno != EINTR) break;
        if (!stopping && p[1].revents) stopping = true; /* take what is there, then end */
        if (!(p[0].revents & (POLLIN | POLLHUP))) {
            if (stopping) break;
            continue;
        }
        ssize_t n = read(r->fd, block, sizeof block);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) break;
        size_t room = r->text.n < r->limit ? (size_t)(r->limit - r->text.n) : 0;
        if ((size_t)n > room) r->cut = true;
        lib_buffer_add(&r->text, block, (size_t)n < room ? (size_t)n : room);
    }
    return NULL;
}

static sandbox_reader *reader_start(int fd, uint64_t limit) {
    sandbox_reader *r = lib_malloc(sizeof *r);
    *r = (sandbox_reader){.fd = fd, .stop = eventfd(0, EFD_CLOEXEC), .limit = limit};
    /* Signals are for the main thread, whose system calls they must wake. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = r->stop < 0 ? errno : pthread_create(&r->thread, NULL, read_output, r);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!rc) return r;
    if (r->stop >= 0) close(r->stop);
    free(r);
    return NULL;
}

static void reader_finish(sandbox_reader *r, sandbox_exit *e) {
    uint64_t one = 1;
    ssize_t ignored = write(r->stop, &one, sizeof one);
    (void)ignored;
    pthread_join(r->thread, NULL);
    close(r->fd);
    close(r->stop);
    if (r->cut)
        lib_buffer_printf(&r->text, "\n[output cut after %llu bytes]\n",
                          (unsigned long long)r->limit);
    lib_buffer_add(&r->text, "", 0);
    e->output = r->text.s;
    e->output_len = r->text.n;
    e->output_cut = r->cut;
    free(r);
}

/* ---- starting ---- */

typedef struct {
    char *const *argv, *const *env;
    const char *cwd;
    int in, out; /* -1: inherited */
    int pass_fd;
    int fds[SANDBOX_MAX_FDS];
    size_t fd_count;
    bool new_session, drop_uid;
    int death; /* the signal that it gets when this process ends */
    const sandbox_stage *stages;
    size_t stage_count;
    struct rlimit limits[6];
    int limit_ids[6];
    size_t limit_count;
    int error_fd;
    int go_fd, go_write;
} child_plan;

/* From here to exec, only async-signal-safe calls: other threads may have held locks at the
 * fork. */
static void child_fail(const child_plan *c, int step) {
    int report[2] = {step, errno};
    ssize_t ignored = write(c->error_fd, report, sizeof report);
    (void)ignored;
    _exit(127);
}

/* "/proc/self/fd/N", without snprintf, which must not be called here. */
static void name_descriptor(char path[32], int fd) {
    char digits[12];
    size_t n = 0, end = sizeof "/proc/self/fd/" - 1;
    memcpy(path, "/proc/self/fd/", end);
    do digits[n++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (n) path[end++] = digits[--n];
    path[end] = 0;
}

/* Still root: what is to be bound gets a place to which uid 65534 has access, in a mount namespace
 * of this child's own. A descriptor from before the unshare would belong to the old namespace, and
 * SANDBOX_STAGE may hide what is to be bound. So this opens all, then mounts. */
static void stage_binds(const child_plan *c) {
    int fds[SANDBOX_MAX_STAGES];
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) child_fail(c, 5);
    for (size_t i = 0; i < c->stage_count; i++) {
        fds[i] = open(c->stages[i].from, O_PATH | O_CLOEXEC);
        if (fds[i] < 0) child_fail(c, 5);
    }
    if (mount("warplab", SANDBOX_STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m"))
        child_fail(c, 5);
    for (size_t i = 0; i < c->stage_count; i++) {
        const sandbox_stage *m = &c->stages[i];
        char path[32];
        name_descriptor(path, fds[i]);
        int made =
            m->folder ? mkdir(m->at, 0755) : open(m->at, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (made < 0 || mount(path, m->at, NULL, MS_BIND | MS_REC, NULL)) child_fail(c, 5);
    }
}

static void child_main(child_plan *c, pid_t parent) {
    enum { PARK = 256 };
    int program = -1;
    if (c->drop_uid) {
        /* Opened before the rights are dropped and /tmp is covered, because a bwrap of our own may
         * be anywhere. */
        int found = open(c->argv[0], O_PATH | O_CLOEXEC);
        if (found >= 0) program = fcntl(found, F_DUPFD_CLOEXEC, PARK);
        stage_binds(c);
    }
    /* First moves every descriptor away from the numbers that they will have, then into place. */
    int error = fcntl(c->error_fd, F_DUPFD_CLOEXEC, PARK);
    if (error < 0) child_fail(c, 1);
    c->error_fd = error;
    int in = c->in >= 0 ? fcntl(c->in, F_DUPFD_CLOEXEC, PARK) : -1,
        out = c->out >= 0 ? fcntl(c->out, F_DUPFD_CLOEXEC, PARK) : -1;
    int pass = c->pass_fd >= 0 ? fcntl(c->pass_fd, F_DUPFD_CLOEXEC, PARK) : -1;
    close(c->go_write);
    int go = fcntl(c->go_fd, F_DUPFD_CLOEXEC, PARK);
    for (size_t i = 0; i < c->fd_count; i++) {
        c->fds[i] = fcntl(c->fds[i], F_DUPFD_CLOEXEC, PARK);
        if (c->fds[i] < 0) child_fail(c, 1);
    }
    if (in >= 0) dup2(in, 0);
    if (out >= 0) {
        dup2(out, 1);
        dup2(out, 2);
    }
    int first = 3;
    if (pass >= 0) {
        if (dup2(pass, 3) < 0) child_fail(c, 1);
        first = 4;
    }
    syscall(SYS_close_range, first, PARK - 1, 0);
    for (size_t i = 0; i < c->fd_count; i++) {
        if (dup2(c->fds[i], SANDBOX_FIRST_FD + (int)i) < 0) child_fail(c, 1);
    }
    /* Waits until the parent has put this process into its cgroup. */
    char byte;
    while (read(go, &byte, 1) < 0 && errno == EINTR) {
    }
    if (c->new_session) setsid();
    for (size_t i = 0; i < c->limit_count; i++)
        setrlimit((__rlimit_resource_t)c->limit_ids[i], &c->limits[i]);
    struct sigaction a = {.sa_handler = SIG_DFL};
    for (int s = 1; s < 32; s++) sigaction(s, &a, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* The other descriptors are PARK and above. All are close-on-exec, but a library may have
     * opened some that are not. */
    syscall(SYS_close_range, PARK, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
    if (c->drop_uid &&
        (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
        child_fail(c, 2);
    /* Last, because a change of user clears it. bwrap sets it again for itself and for its
     * children. */
    prctl(PR_SET_PDEATHSIG, c->death);
    if (getppid() != parent) _exit(127);
    if (c->cwd && chdir(c->cwd)) child_fail(c, 3);
    if (program >= 0) execveat(program, "", c->argv, c->env, AT_EMPTY_PATH);
    execve(c->argv[0], c->argv, c->env);
    child_fail(c, 4);
}

static void plan_limit(child_plan *c, int id, uint64_t value) {
    c->limit_ids[c->limit_count] = id;
    c->limits[c->limit_count++] = (struct rlimit){value, value};
}

/* Returns whether q->env sets the variable of `entry` ("NAME=value") again. */
static bool overridden(const sandbox_spawn *q, const char *entry) {
    size_t n = strcspn(entry, "=") + 1;
    for (const char *const *e = q->env; e && *e; e++) {
        if (!strncmp(*e, entry, n)) return true;
    }
    return false;
}

static char **plain_environment(const sandbox_spawn *q) {
    size_t n = 0, all = 0, m = 0;
    for (const char *const *e = q->env; e && *e; e++) n++;
    for (char **e = environ; *e; e++) all++;
    char **env = lib_malloc((n + all + 8) * sizeof *env);
    static const char *const kept[] = {"PATH", "HOME", "LANG", "TMPDIR", "TERM"};
    for (char **e = environ; q->inherit_env && *e; e++) {
        if (!overridden(q, *e)) env[m++] = lib_strdup(*e);
    }
    for (size_t i = 0; !q->inherit_env && i < sizeof kept / sizeof *kept; i++) {
        const char *v = getenv(kept[i]);
        if (v) env[m++] = lib_format("%s=%s", kept[i], v);
    }
    for (size_t i = 0; i < n; i++) env[m++] = lib_strdup(q->env[i]);
    if (q->pass_fd >= 0) env[m++] = lib_strdup("WARPLAB_FD=3");
    env[m] = NULL;
    return env;
}

const char *sandbox_init(lib_message *msg) {
    const lib_paths *p = lib_paths_get(msg);
    if (!p) return NULL;
    if (!access(p->init, X_OK)) return p->init;
    lib_message_set(msg, w_sandbox_init_cannot_run(p->init, errno));
    return NULL;
}

static bool plan_sandboxed(child_plan *c, const sandbox_spawn *q, const sandbox_found *sandbox,
                           sandbox_argv *a, lib_message *msg) {
    static char path[] = "PATH=/usr/bin:/bin";
    static char *const bare[] = {path, NULL};
    if (!sandbox_arguments(q, sandbox, a, msg)) return false;
    c->argv = a->argv;
    c->env = bare;
    memcpy(c->fds, a->fds, sizeof c->fds);
    c->fd_count = a->fd_count;
    c->drop_uid = sandbox->drop_uid;
    c->stages = a->stages;
    c->stage_count = a->stage_count;
    return true;
}

/* Under warplab-init, unless the program has the terminal. */
static bool plan_plain(child_plan *c, const sandbox_spawn *q, bool supervised, sandbox_argv *a,
                       lib_message *msg) {
    if (q->cwd) c->cwd = q->cwd;
    if (supervised) {
        const char *init = sandbox_init(msg);
        if (!init || !sandbox_plain_arguments(q, init, a, msg)) return false;
        if (access(q->argv[0], X_OK)) { /* reported here, as execve() would */
            lib_message_set(msg, w_sandbox_cannot_start(q->argv[0], errno));
            return false;
        }
        c->argv = a->argv;
        memcpy(c->fds, a->fds, sizeof c->fds);
        c->fd_count = a->fd_count;
        c->death = SIGTERM; /* it first ends the others */
        return true;
    }
    union {
        const char *const *given;
        char *const *taken;
    } argv = {q->argv}; /* execve() changes nothing */
    c->argv = argv.taken;
    if (q->cpu_s > 0) plan_limit(c, RLIMIT_CPU, (uint64_t)(q->cpu_s + 0.999));
    if (q->file_bytes) plan_limit(c, RLIMIT_FSIZE, q->file_bytes);
    if (q->memory) plan_limit(c, RLIMIT_AS, q->memory);
    return true;
}

/* Reads the child's own report on why it failed; 0: it succeeded. */
static int start_report(const child_plan *c, int fd, lib_message *msg) {
    static const lib_word_id step[] = {W_SANDBOX_STEP_START,        W_SANDBOX_STEP_DESCRIPTORS,
                                       W_SANDBOX_STEP_GIVE_UP_ROOT, W_SANDBOX_STEP_ENTER_FOLDER,
                                       W_SANDBOX_STEP_EXECUTE,      W_SANDBOX_STEP_SHOW_FILES};
    int report[2];
    ssize_t n;
    while ((n = read(fd, report, sizeof report)) < 0 && errno == EINTR) {
    }
    if (n <= 0) return 0;
    int i = n == (ssize_t)sizeof report && report[0] > 0 && report[0] < 6 ? report[0] : 0;
    int error = n == (ssize_t)sizeof report ? report[1] : EIO;
    lib_message_set(msg, w_sandbox_could_not(c->argv[0], step[i], error));
    return -1;
}

static void process_give_up(sandbox_process *p) {
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    orphans_forget(p->pid);
    p->pid = -1;
}

/* Forks, checks the start, and reads the output from then on. */
static int start_child(child_plan *c, const sandbox_spawn *q, sandbox_process *p, int pipes[3][2],
                       lib_message *msg) {
    enum { OUT, ERROR, GO };
    pid_t parent = getpid();
    if (p->supervised) orphans_adopt();
    pid_t pid = fork();
    if (pid == 0) child_main(c, parent);
    if (pid < 0) {
        lib_message_set(msg, w_sandbox_no_process(errno));
        return -1;
    }
    p->pid = pid;
    orphans_know(pid); /* before it leaves this process's session */
    if (p->cgroup[0][0]) cgroup_enter(p, pid);
    close(pipes[ERROR][1]);
    close(pipes[GO][1]);
    pipes[ERROR][1] = pipes[GO][1] = -1;
    if (start_report(c, pipes[ERROR][0], msg)) {
        process_give_up(p);
        return -1;
    }
    if (q->inherit_output) return 0;
    p->reader = reader_start(pipes[OUT][0], q->output_bytes);
    if (!p->reader) {
        lib_message_set(msg, w_sandbox_no_thread_for_output(errno));
        process_give_up(p);
        return -1;
    }
    pipes[OUT][0] = -1; /* the reader owns it now */
    return 0;
}

int sandbox_process_start_with(const sandbox_spawn *q, const sandbox_found *sandbox,
                               sandbox_process *p, lib_message *msg) {
    *p = (sandbox_process){.pid = -1,
                           .status = -1,
                           .report = -1,
                           .sandboxed = sandbox != NULL,
                           .supervised = !sandbox && !q->inherit_input,
                           .own_group = !q->inherit_input};
    sandbox_argv *a = lib_malloc(sizeof *a);
    *a = (sandbox_argv){.status = -1, .report = -1};
    char **env = sandbox ? NULL : plain_environment(q);
    child_plan c = {.env = env,
                    .in = -1,
                    .out = -1,
                    .pass_fd = q->pass_fd,
                    .error_fd = -1,
                    .go_fd = -1,
                    .go_write = -1,
                    .death = SIGKILL,
                    /* If the child has the terminal's own input, it stays in the terminal's
                     * session. */
                    .new_session = !q->inherit_input};
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, rc = -1; /* output, error, go */
    if (sandbox ? !plan_sandboxed(&c, q, sandbox, a, msg)
                : !plan_plain(&c, q, p->supervised, a, msg))
        goto done;
    plan_limit(&c, RLIMIT_CORE, 0);
    if ((!q->inherit_output && pipe2(pipes[0], O_CLOEXEC)) || pipe2(pipes[1], O_CLOEXEC) ||
        pipe2(pipes[2], O_CLOEXEC) ||
        (!q->inherit_input &&
         (c.in = q->input_fd >= 0 ? fcntl(q->input_fd, F_DUPFD_CLOEXEC, 0)
                                  : open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)) {
        lib_message_set(msg, w_sandbox_cannot_start(q->argv[0], errno));
        goto done;
    }
    c.out = pipes[0][1];
    c.error_fd = pipes[1][1];
    c.go_fd = pipes[2][0];
    c.go_write = pipes[2][1];
    if (sandbox && sandbox->cgroup)
        cgroup_make(p, q->resident ? q->resident : q->memory, q->processes);
    if (start_child(&c, q, p, pipes, msg)) goto done;
    p->status = a->status;
    p->report = a->report;
    a->status = a->report = -1;
    p->deadline = q->wall_s > 0 ? lib_now() + q->wall_s : 0;
    rc = 0;
done:
    if (rc) cgroup_remove(p);
    sandbox_argv_free(a);
    free(a);
    for (char **e = env; e && *e; e++) free(*e);
    free(env);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (pipes[i][k] >= 0) close(pipes[i][k]);
    if (c.in >= 0) close(c.in);
    return rc;
}

/* ---- ending ---- */

/* Returns whether it ends within this many seconds. Does not reap it. */
static bool process_ends_within(const sandbox_process *p, double seconds) {
    double end = lib_now() + seconds;
    for (;;) {
        siginfo_t info = {0};
        if (!waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
            info.si_pid == p->pid)
            return true;
        if (lib_now() >= end) return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void process_kill(const sandbox_process *p) {
    enum { GRACE_S = 3 };
    if (p->supervised) { /* it ends the others, then itself */
        kill(p->pid, SIGTERM);
        kill(p->pid, SIGCONT);
        if (process_ends_within(p, GRACE_S)) return;
    }
    if (p->own_group) kill(-p->pid, SIGKILL);
    kill(p->pid, SIGKILL);
}

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static int process_collect(const sandbox_process *p, sandbox_exit *e) {
    struct rusage used = {0};
    int status = 0;
    while (wait4(p->pid, &status, 0, &used) < 0) {
        if (errno != EINTR) return 0;
    }
    e->peak_bytes = (uint64_t)used.ru_maxrss << 10; /* getrusage(2): in kilobytes */
    e->cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    return status;
}

/* Reads what was written to the descriptor, and closes it. */
static void take_word(int *fd, char *text, size_t size) {
    ssize_t n = *fd >= 0 ? read(*fd, text, size - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Returns whether the program was started: bwrap's own last report has an exit code, and
 * warplab-init did not report that it failed. Programs inside have neither descriptor, so an exit
 * status of theirs cannot look like this. *below: the process below bwrap; 0: unknown. */
static bool program_started(sandbox_process *p, sandbox_exit *e, pid_t *below) {
    static const char child[] = "\"child-pid\":";
    char status[1024], report[8];
    take_word(&p->status, status, sizeof status);
    take_word(&p->report, report, sizeof report);
    e->over_memory = *report == 'm' || cgroup_over_memory(p);
    const char *pid = strstr(status, child);
    *below = pid ? (pid_t)strtol(pid + sizeof child - 1, NULL, 10) : 0;
    return *report != '!' && (!p->sandboxed || strstr(status, "\"exit-code\""));
}

static void process_finish(sandbox_process *p, sandbox_exit *e, sandbox_end end) {
    int status = process_collect(p, e);
    pid_t below;
    bool started = program_started(p, e, &below);
    if (p->own_group) kill(-p->pid, SIGKILL); /* what it started and left behind */
    orphans_forget(p->pid);
    /* A killed warplab-init could not end the others; a killed bwrap leaves the process below it to
     * us, with which all others of its namespace end. */
    if (p->sandboxed && WIFSIGNALED(status) && below) orphans_end_one(below);
    else if ((p->supervised || p->sandboxed) && WIFSIGNALED(status)) orphans_end();
    /* warplab-init passes a signal on as exit status 128 + n, and bwrap passes that on. */
    if ((p->sandboxed || p->supervised) && WIFEXITED(status) && WEXITSTATUS(status) > 128 &&
        WEXITSTATUS(status) <= 128 + 64)
        status = WEXITSTATUS(status) - 128;
    e->wait_status = status;
    e->end = end != SANDBOX_END_EXIT ? end
             : WIFSIGNALED(status)   ? SANDBOX_END_SIGNAL
                                     : SANDBOX_END_EXIT;
    e->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (!started && e->end == SANDBOX_END_EXIT && e->code) e->end = SANDBOX_END_NOT_STARTED;
    e->over_memory = e->over_memory && e->end == SANDBOX_END_SIGNAL;
    if (p->reader) reader_finish(p->reader, e);
    p->reader = NULL;
    cgroup_remove(p);
    p->pid = -1;
}

void sandbox_process_wait(sandbox_process *p, const volatile int *cancel, sandbox_exit *e) {
    *e = (sandbox_exit){0};
    sandbox_end end = SANDBOX_END_EXIT;
    int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    for (;;) {
        if (cancel && *cancel) end = SANDBOX_END_CANCELLED;
        else if (p->deadline > 0 && lib_now() >= p->deadline) end = SANDBOX_END_TIMEOUT;
        if (end != SANDBOX_END_EXIT) {
            process_kill(p);
            break;
        }
        /* Signals wake the poll; the tick is for a flag that something else sets. */
        double left = p->deadline > 0 ? p->deadline - lib_now() : 1;
        int tick = fd < 0 ? 5 : 100;
        if (left * 1000 < tick) tick = left > 0 ? (int)(left * 1000) + 1 : 0;
        struct pollfd w = {.fd = fd, .events = POLLIN};
        if (poll(&w, fd >= 0 ? 1 : 0, tick) > 0) break;
        if (fd < 0) { /* a kernel without pidfd_open */
            siginfo_t info = {0};
            if (!waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
                info.si_pid == p->pid)
                break;
        }
    }
    if (fd >= 0) close(fd);
    process_finish(p, e, end);
}

void sandbox_process_kill(sandbox_process *p, sandbox_exit *e) {
    *e = (sandbox_exit){0};
    process_kill(p);
    process_finish(p, e, SANDBOX_END_EXIT);
}

void sandbox_exit_free(sandbox_exit *e) {
    free(e->output);
    *e = (sandbox_exit){0};
}

static const struct {
    int number;
    lib_word_id name;
} signals[] = {
    {SIGSEGV, W_SANDBOX_SIGSEGV}, {SIGBUS, W_SANDBOX_SIGBUS},   {SIGABRT, W_SANDBOX_SIGABRT},
    {SIGFPE, W_SANDBOX_SIGFPE},   {SIGILL, W_SANDBOX_SIGILL},   {SIGKILL, W_SANDBOX_SIGKILL},
    {SIGXCPU, W_SANDBOX_SIGXCPU}, {SIGXFSZ, W_SANDBOX_SIGXFSZ}, {SIGSYS, W_SANDBOX_SIGSYS}};

char *sandbox_first_line(const char *output) {
    return lib_format("%.*s", output ? (int)strcspn(output, "\n") : 0, output ? output : "");
}

void sandbox_exit_message(const sandbox_exit *e, lib_message *how) {
    if (e->end == SANDBOX_END_TIMEOUT) {
        lib_message_set(how, w_sandbox_time_limit());
    } else if (e->end == SANDBOX_END_CANCELLED) {
        lib_message_set(how, w_sandbox_cancelled());
    } else if (e->end == SANDBOX_END_NOT_STARTED) {
        char *first = sandbox_first_line(e->output);
        lib_message_set(how, w_sandbox_not_started(first));
        free(first);
    } else if (e->end == SANDBOX_END_EXIT) {
        lib_message_set(how, w_sandbox_exit_status(e->code));
    } else if (e->over_memory) {
        lib_message_set(how, w_sandbox_memory_limit());
    } else {
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            if (signals[i].number == e->code) {
                lib_message_set(how, w_sandbox_signal(signals[i].name));
                return;
            }
        lib_message_set(how, w_sandbox_signal_number(e->code, strsignal(e->code)));
    }
}
