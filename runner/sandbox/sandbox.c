/* What bubblewrap is told, and whether this machine can do it.
 *
 *   sandbox_spawn --sandbox_arguments()--> bwrap's argument vector + descriptors --> spawn.c forks and execs it
 *
 * Inside: every namespace new, no network, uid 65534 with no capability, / and /dev read-only, /usr
 * and the named binds read-only, sized tmpfs at /tmp and /dev/shm, a seccomp filter, and prlimit(1)
 * as the first program, because RLIMIT_NPROC must be set inside the user namespace to count only
 * what runs there. Started by root, bwrap itself gives root up first (drop_uid): the kernel never
 * limits processes of uid 0, whatever namespace they are in. */
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/sandbox/sandbox_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* ---- the seccomp filter ---- */

/* What no compiler and no student's program needs: each is a way to attack the kernel or other
 * processes. */
static const char *const denied[] = {"ptrace",
                                     "process_vm_readv",
                                     "process_vm_writev",
                                     "process_madvise",
                                     "kcmp",
                                     "pidfd_getfd",
                                     "kexec_load",
                                     "kexec_file_load",
                                     "init_module",
                                     "finit_module",
                                     "delete_module",
                                     "mount",
                                     "umount2",
                                     "pivot_root",
                                     "chroot",
                                     "move_mount",
                                     "open_tree",
                                     "fsopen",
                                     "fsconfig",
                                     "fsmount",
                                     "fspick",
                                     "mount_setattr",
                                     "unshare",
                                     "setns",
                                     "bpf",
                                     "perf_event_open",
                                     "userfaultfd",
                                     "io_uring_setup",
                                     "io_uring_enter",
                                     "io_uring_register",
                                     "open_by_handle_at",
                                     "name_to_handle_at",
                                     "swapon",
                                     "swapoff",
                                     "reboot",
                                     "syslog",
                                     "acct",
                                     "quotactl",
                                     "quotactl_fd",
                                     "add_key",
                                     "keyctl",
                                     "request_key",
                                     "settimeofday",
                                     "clock_settime",
                                     "adjtimex",
                                     "clock_adjtime",
                                     "sethostname",
                                     "setdomainname",
                                     "iopl",
                                     "ioperm",
                                     "modify_ldt",
                                     "lookup_dcookie",
                                     "vhangup",
                                     "nfsservctl",
                                     "fanotify_init",
                                     "msgget",
                                     "semget",
                                     "shmget",
                                     "mq_open",
                                     "vmsplice"};
/* A submission talks through the descriptor it was given and starts no process. */
static const char *const denied_run[] = {"fork",      "vfork",        "socket",      "bind",
                                         "listen",    "connect",      "accept",      "accept4",
                                         "setrlimit", "memfd_create", "memfd_secret"};

static bool deny(scmp_filter_ctx f, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        if (number == __NR_SCMP_ERROR)
            continue; /* older than this call: the kernel may know it, but so be it */
        int rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), number, 0);
        if (rc && rc != -EACCES && rc != -EDOM) return false;
    }
    return true;
}

/* A fresh memfd with the filter (bwrap reads it from its offset), or -1. */
static int filter_fd(bool may_fork) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f) return -1;
    int fd = -1;
    bool ok = deny(f, denied, sizeof denied / sizeof *denied);
    if (!may_fork) ok = ok && deny(f, denied_run, sizeof denied_run / sizeof *denied_run);
    /* clone3's flags lie in memory, where a filter cannot look: libc falls back to clone. */
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    const uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                            CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    for (uint64_t bit = 1; bit && ok; bit <<= 1) {
        if (spaces & bit)
            ok = !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                   SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit));
    }
    if (!may_fork)
        ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    /* Typing into a terminal, where one is reachable after all. */
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI));
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCLINUX));
    if (ok) {
        fd = memfd_create("warplab-seccomp", MFD_CLOEXEC);
        if (fd >= 0 && (seccomp_export_bpf(f, fd) || lseek(fd, 0, SEEK_SET))) {
            close(fd);
            fd = -1;
        }
    }
    seccomp_release(f);
    return fd;
}

/* ---- the argument vector ---- */

static void add(sandbox_argv *a, const char *text) {
    if (a->argc + 1 >= SANDBOX_MAX_ARGUMENTS) {
        a->overflow = true;
        return;
    }
    a->argv[a->argc++] = lib_strdup(text);
}

#define ADD(...) add_all(a, (const char *const[]){__VA_ARGS__, NULL})
static void add_all(sandbox_argv *a, const char *const *texts) {
    for (; *texts; texts++) add(a, *texts);
}

static void add_number(sandbox_argv *a, const char *option, uint64_t value) {
    char text[96];
    if (option[strlen(option) - 1] == '=') {
        snprintf(text, sizeof text, "%s%llu", option, (unsigned long long)value);
        add(a, text);
    } else {
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        ADD(option, text);
    }
}

/* Hands an open descriptor on to bwrap; spawn.c moves it to `number`. */
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
        lib_message_set(msg, "cannot open %s for the sandbox: %s", b->from, strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    if (!s->drop_uid) {
        close(fd);
        ADD(b->writable ? "--bind" : "--ro-bind", b->from, to);
        return true;
    }
    /* Who it runs as may not be able to walk to b->from: spawn.c mounts it where it can, then bwrap
     * takes it from there. */
    if (a->stage_count == SANDBOX_MAX_STAGES) {
        close(fd);
        a->overflow = true;
        return true;
    }
    sandbox_stage *m = &a->stages[a->stage_count++];
    *m = (sandbox_stage){.from = lib_strdup(b->from), .folder = S_ISDIR(st.st_mode)};
    snprintf(m->at, sizeof m->at, SANDBOX_STAGE "/%zu", a->stage_count);
    /* What it may write belongs to whoever it runs as. */
    bool ok = !b->writable || !fchownat(fd, "", 65534, 65534, AT_EMPTY_PATH);
    if (!ok)
        lib_message_set(msg, "cannot give %s to the sandbox's user: %s", b->from, strerror(errno));
    close(fd);
    if (!ok) return false;
    ADD(b->writable ? "--bind" : "--ro-bind", m->at, to);
    return true;
}

bool sandbox_arguments(const sandbox_spawn *q, const sandbox_found *s, sandbox_argv *a,
                       lib_message *msg) {
    ADD(s->program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session",
        "--clearenv");
    ADD("--hostname", "warplab", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL");
    if (s->disable_userns) ADD("--disable-userns");
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
    add_number(a, "--size", q->tmp_bytes);
    ADD("--tmpfs", "/tmp", "--size", "1048576", "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
    for (size_t i = 0; i < q->bind_count; i++) {
        if (!add_bind(a, s, &q->binds[i], msg)) return false;
    }
    ADD("--remount-ro", "/");
    ADD("--chdir", q->cwd ? q->cwd : "/tmp");
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
    int filter = filter_fd(q->may_fork);
    if (filter < 0) {
        lib_message_set(msg, "cannot make the seccomp filter: %s", strerror(errno));
        return false;
    }
    char number[16];
    snprintf(number, sizeof number, "%d", hand_on(a, filter));
    ADD("--seccomp", number);
    int status[2];
    if (pipe2(status, O_CLOEXEC | O_NONBLOCK)) {
        lib_message_set(msg, "cannot make a pipe for the sandbox: %s", strerror(errno));
        return false;
    }
    a->status = status[0];
    snprintf(number, sizeof number, "%d", hand_on(a, status[1]));
    ADD("--json-status-fd", number, "--");
    if (s->prlimit) {
        ADD("/usr/bin/prlimit", "--core=0", "--nofile=256");
        /* The soft limit's signal says what it was; the hard one ends who catches it. */
        char cpu[64];
        unsigned long long seconds = (unsigned long long)(q->cpu_s + 0.999);
        snprintf(cpu, sizeof cpu, "--cpu=%llu:%llu", seconds, seconds + 1);
        ADD(cpu);
        add_number(a, "--fsize=", q->file_bytes);
        add_number(a, "--nproc=", q->processes);
        if (q->memory) add_number(a, "--as=", q->memory);
    }
    for (const char *const *p = q->argv; *p; p++) add(a, *p);
    if (a->overflow) {
        lib_message_set(msg, "too many arguments or files for the sandbox");
        return false;
    }
    a->argv[a->argc] = NULL;
    return true;
}

void sandbox_argv_free(sandbox_argv *a) {
    for (size_t i = 0; i < a->argc; i++) free(a->argv[i]);
    for (size_t i = 0; i < a->fd_count; i++) close(a->fds[i]);
    if (a->status >= 0) close(a->status);
    for (size_t i = 0; i < a->stage_count; i++) free(a->stages[i].from);
    *a = (sandbox_argv){.status = -1};
}

/* ---- what this machine can do ---- */

static bool find_program(const char *name, char *path, size_t n) {
    const char *hide = getenv("WARPLAB_NO_SANDBOX"); /* for tests of a machine that has none */
    if (hide && *hide && strcmp(hide, "0")) return false;
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/bin"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, n, "%s/%s", folders[i], name);
        if (!access(path, X_OK)) return true;
    }
    return false;
}

/* Starts /usr/bin/true as a submission would be started. */
static bool starts(sandbox_found *s, char *why, size_t n) {
    static const char *const argv[] = {"/usr/bin/true", NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.argv = argv;
    q.wall_s = 10;
    sandbox_process p;
    sandbox_exit e = {0};
    lib_message msg = {""};
    if (sandbox_process_start_with(&q, s, &p, &msg)) {
        snprintf(why, n, "%s", msg.text);
        return false;
    }
    sandbox_process_wait(&p, NULL, &e);
    bool ok = e.end == SANDBOX_END_EXIT && e.code == 0;
    if (!ok) {
        char text[128];
        sandbox_exit_text(&e, text, sizeof text);
        snprintf(why, n, "%.*s", e.output_len ? (int)strcspn(e.output, "\n") : (int)strlen(text),
                 e.output_len ? e.output : text);
    }
    sandbox_exit_free(&e);
    return ok;
}

static void find_out(sandbox_found *s) {
    if (!find_program("bwrap", s->program, sizeof s->program)) {
        snprintf(s->why_not, sizeof s->why_not,
                 "bubblewrap is not installed; install it (Debian: apt-get install bubblewrap)");
        return;
    }
    const char *const help[] = {s->program, "--help", NULL}, *const version[] = {s->program,
                                                                                 "--version", NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.mode = SANDBOX_NONE;
    q.wall_s = 10;
    sandbox_exit e;
    lib_message msg;
    q.argv = help;
    if (!sandbox_run(&q, &e, &msg)) {
        s->disable_userns = strstr(e.output, "--disable-userns");
        sandbox_exit_free(&e);
    }
    q.argv = version;
    if (!sandbox_run(&q, &e, &msg)) {
        snprintf(s->version, sizeof s->version, "%.*s", (int)strcspn(e.output, "\n"), e.output);
        sandbox_exit_free(&e);
    }
    s->prlimit = !access("/usr/bin/prlimit", X_OK);
    s->cgroup = cgroup_available();
    char why[256] = "";
    s->drop_uid = geteuid() == 0;
    s->works = starts(s, why, sizeof why);
    if (!s->works &&
        s->drop_uid) { /* unprivileged user namespaces may be off, or mounts refused: root still can */
        s->drop_uid = false;
        s->works = starts(s, why, sizeof why);
    }
    if (!s->works && s->disable_userns) { /* refused inside some containers */
        s->disable_userns = false;
        s->works = starts(s, why, sizeof why);
    }
    if (s->works) return;
    snprintf(
        s->why_not, sizeof s->why_not,
        "bubblewrap cannot make its namespaces here (%s). On Debian and Ubuntu: sysctl "
        "kernel.unprivileged_userns_clone=1 "
        "and kernel.apparmor_restrict_unprivileged_userns=0; in a container: start it with user "
        "namespaces allowed",
        why);
}

const sandbox_found *sandbox_get(void) {
    static sandbox_found found;
    static bool known;
    if (!known) {
        sandbox_found s = {0};
        find_out(&s);
        found = s;
        known = true;
    }
    return &found;
}
