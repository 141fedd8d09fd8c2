/* Makes the arguments of bubblewrap.
 *
 *   sandbox_spawn --sandbox_arguments()--> bwrap's argument vector + descriptors --> spawn.c forks
 *     and execs it
 *
 * Inside the sandbox: every namespace is new; no network; uid 65534 without capabilities; / and
 * /dev are read-only, and so are /usr and the named binds; /tmp and /dev/shm are tmpfs of limited
 * size. Process 1 is warplab-init (runner/init), which sets the limits and the seccomp filter. It
 * sets them because RLIMIT_NPROC must be set inside the user namespace to count only processes
 * there. If root starts bwrap, bwrap first drops root (drop_uid): the kernel never limits processes
 * of uid 0, whatever their namespace. */
#include "runner/sandbox/bubblewrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/sandbox/seccomp.h"
#include "words/sandbox.h"

static void add_argument(sandbox_argv *a, const char *text) {
    if (a->argc + 1 >= SANDBOX_MAX_ARGUMENTS) {
        a->overflow = true;
        return;
    }
    a->argv[a->argc++] = lib_strdup(text);
}

#define ADD(...) add_all(a, (const char *const[]){__VA_ARGS__, NULL})
static void add_all(sandbox_argv *a, const char *const *texts) {
    for (; *texts; texts++) add_argument(a, *texts);
}

static void add_number(sandbox_argv *a, const char *option, uint64_t value) {
    char text[96];
    if (option[strlen(option) - 1] == '=') {
        snprintf(text, sizeof text, "%s%llu", option, (unsigned long long)value);
        add_argument(a, text);
    } else {
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        ADD(option, text);
    }
}

/* Passes an open descriptor on to bwrap; spawn.c moves it to `number`. */
static int hand_on(sandbox_argv *a, int fd) {
    if (a->fd_count == SANDBOX_MAX_FDS) {
        close(fd);
        a->overflow = true;
        return -1;
    }
    a->fds[a->fd_count] = fd;
    return SANDBOX_FIRST_FD + (int)a->fd_count++;
}

static bool add_bind(sandbox_argv *a, const sandbox_found *s, const sandbox_bind *b,
                     lib_message *msg) {
    const char *to = b->to ? b->to : b->from;
    struct stat st;
    int fd = open(b->from, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        if (b->optional && errno == ENOENT) return true;
        lib_message_set(msg, w_sandbox_cannot_open(b->from, errno));
        if (fd >= 0) close(fd);
        return false;
    }
    if (!s->drop_uid) {
        close(fd);
        ADD(b->writable ? "--bind" : "--ro-bind", b->from, to);
        return true;
    }
    /* The user as whom it runs may not have access to b->from. So spawn.c mounts it where that user
     * has access, and bwrap takes it from there. */
    if (a->stage_count == SANDBOX_MAX_STAGES) {
        close(fd);
        a->overflow = true;
        return true;
    }
    sandbox_stage *m = &a->stages[a->stage_count++];
    *m = (sandbox_stage){.from = lib_strdup(b->from), .folder = S_ISDIR(st.st_mode)};
    snprintf(m->at, sizeof m->at, SANDBOX_STAGE "/%zu", a->stage_count);
    /* The user as whom it runs owns what it may write. */
    bool ok = !b->writable || !fchownat(fd, "", 65534, 65534, AT_EMPTY_PATH);
    if (!ok) lib_message_set(msg, w_sandbox_cannot_give_to_user(b->from, errno));
    close(fd);
    if (!ok) return false;
    ADD(b->writable ? "--bind" : "--ro-bind", m->at, to);
    return true;
}

/* Adds warplab-init's options for limits, in a sandbox or without. */
static void add_limits(sandbox_argv *a, const sandbox_spawn *q) {
    uint64_t resident = q->resident ? q->resident : q->memory;
    ADD("--core=0");
    if (q->cpu_s > 0) add_number(a, "--cpu=", (uint64_t)(q->cpu_s + 0.999));
    if (q->file_bytes) add_number(a, "--fsize=", q->file_bytes);
    if (q->memory) add_number(a, "--as=", q->memory);
    if (!resident) return;
    /* warplab-init checks memory at intervals. To prevent large growth between two checks, the
     * memory that one process may map is limited, too. A program may well map more than it
     * touches. */
    add_number(a, "--resident=", resident);
    if (resident < UINT64_MAX / 2) add_number(a, "--data=", 2 * resident);
}

/* The system is visible read-only; /tmp and other writable folders are new and small. */
static void add_system(sandbox_argv *a, const sandbox_spawn *q, const sandbox_found *s) {
    ADD("--ro-bind", "/usr", "/usr");
    static const char *const merged[] = {"/lib", "/lib64", "/lib32", "/libx32", "/bin", "/sbin"};
    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        char to[PATH_MAX];
        struct stat st;
        if (lstat(merged[i], &st)) continue;
        ssize_t n = S_ISLNK(st.st_mode) ? readlink(merged[i], to, sizeof to - 1) : -1;
        if (n > 0) {
            to[n] = 0;
            ADD("--symlink", to, merged[i]);
        } else {
            ADD("--ro-bind", merged[i], merged[i]);
        }
    }
    ADD("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try",
        "/etc/alternatives", "/etc/alternatives");
    ADD("--proc", "/proc", "--dev", "/dev");
    if (!strncmp(s->root, "/usr/", 5)) ADD("--tmpfs", s->root); /* hides its labs and answers */
    add_number(a, "--size", q->tmp_bytes);
    ADD("--tmpfs", "/tmp", "--size", "1048576", "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
}

static void add_environment(sandbox_argv *a, const sandbox_spawn *q) {
    ADD("--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--setenv", "TMPDIR",
        "/tmp", "--setenv", "LANG", "C.UTF-8");
    for (const char *const *e = q->env; e && *e; e++) {
        const char *equals = strchr(*e, '=');
        if (!equals) continue;
        char *name = lib_strdup(*e);
        name[equals - *e] = 0;
        ADD("--setenv", name, equals + 1);
        free(name);
    }
    if (q->pass_fd >= 0) ADD("--setenv", "WARPLAB_FD", "3");
}

/* Makes a pipe and passes its write end on; *end: the read end. Returns -1 and sets *msg on
 * failure. */
static int hand_on_pipe(sandbox_argv *a, int *end, lib_message *msg) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK)) {
        lib_message_set(msg, w_sandbox_no_pipe(errno));
        return -1;
    }
    *end = fds[0];
    return hand_on(a, fds[1]);
}

/* Adds warplab-init: the descriptors passed to it, its limits, and the program. */
static bool add_init(sandbox_argv *a, const sandbox_spawn *q, lib_message *msg) {
    int filter = sandbox_filter(q->may_fork);
    if (filter < 0) {
        lib_message_set(msg, w_sandbox_no_seccomp_filter(errno));
        return false;
    }
    char number[16];
    int filter_fd = hand_on(a, filter);
    int status = hand_on_pipe(a, &a->status, msg),
        report = status < 0 ? -1 : hand_on_pipe(a, &a->report, msg);
    if (report < 0) return a->overflow;
    snprintf(number, sizeof number, "%d", status);
    ADD("--as-pid-1", "--json-status-fd", number, "--", SANDBOX_INIT);
    add_number(a, "--filter=", (uint64_t)filter_fd);
    add_number(a, "--report=", (uint64_t)report);
    add_number(a, "--nofile=", SANDBOX_NOFILE);
    add_number(a, "--nproc=", q->processes);
    add_limits(a, q);
    add_argument(a, "--");
    for (const char *const *p = q->argv; *p; p++) add_argument(a, *p);
    return true;
}

bool sandbox_arguments(const sandbox_spawn *q, const sandbox_found *s, sandbox_argv *a,
                       lib_message *msg) {
    ADD(s->program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session",
        "--clearenv");
    ADD("--hostname", "warplab", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL");
    if (s->disable_userns) ADD("--disable-userns");
    add_system(a, q, s);
    for (size_t i = 0; i < q->bind_count; i++) {
        if (!add_bind(a, s, &q->binds[i], msg)) return false;
    }
    const sandbox_bind init = {.from = s->init, .to = SANDBOX_INIT};
    if (!add_bind(a, s, &init, msg)) return false;
    ADD("--remount-ro", "/");
    if (!strncmp(s->root, "/usr/", 5)) ADD("--remount-ro", s->root);
    ADD("--chdir", q->cwd ? q->cwd : "/tmp");
    add_environment(a, q);
    if (!add_init(a, q, msg)) return false;
    if (a->overflow) {
        lib_message_set(msg, w_sandbox_too_many_arguments_or_files());
        return false;
    }
    a->argv[a->argc] = NULL;
    return true;
}

bool sandbox_plain_arguments(const sandbox_spawn *q, const char *init, sandbox_argv *a,
                             lib_message *msg) {
    int report = hand_on_pipe(a, &a->report, msg);
    if (report < 0) return false;
    ADD(init, "--alone");
    add_number(a, "--report=", (uint64_t)report);
    add_limits(a, q);
    add_argument(a, "--");
    for (const char *const *p = q->argv; *p; p++) add_argument(a, *p);
    a->argv[a->argc] = NULL;
    if (a->overflow) lib_message_set(msg, w_sandbox_too_many_arguments());
    return !a->overflow;
}

void sandbox_argv_free(sandbox_argv *a) {
    for (size_t i = 0; i < a->argc; i++) free(a->argv[i]);
    for (size_t i = 0; i < a->fd_count; i++) close(a->fds[i]);
    if (a->status >= 0) close(a->status);
    if (a->report >= 0) close(a->report);
    for (size_t i = 0; i < a->stage_count; i++) free(a->stages[i].from);
    *a = (sandbox_argv){.status = -1, .report = -1};
}
