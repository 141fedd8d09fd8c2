/* warplab-init, the process above an untrusted program. In the sandbox it is process 1. Without a
 * sandbox it is the parent to which orphaned descendants of the program fall back.
 *
 *   warplab-init [--alone] [--NAME=N ...] -- PROGRAM ARGUMENT...
 *
 *   options --fork--> child: limits, filter, exec PROGRAM
 *           --wait, watch the memory of all--> end all that is left --> exit status of PROGRAM
 *                                                                       (128 + n: signal n)
 *
 * --report=FD: it writes "!" to FD if the program could not be started, and "m" if it ended the
 * program because of --resident=BYTES.
 * The program cannot change this process: it is not dumpable, so the kernel hides its memory,
 * descriptors and environment from other processes of the same uid, and it has no open descriptors.
 * SIGTERM, or the end of its parent, ends everything. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CANNOT_START = 127,
    MAX_PROCESSES = 8192, /* in one look at /proc */
    MAX_FILTER = 4096,    /* instructions */
    ROUNDS = 200          /* of ending what is left, 2 ms apart */
};
#define LOOK_S      0.01 /* shortest pause between looks at the memory, in seconds */
#define LOOK_MOST_S 0.1  /* longest pause */
#define LOOK_PART   20   /* a look takes at most 1/20 of the pause */
/* No program fills memory faster, in bytes/s. The next pause follows from it and the memory
 * left. */
#define FILL_RATE 32e9

/* ---- options ---- */

typedef struct {
    const char *name;
    int resource;
    bool given;
    uint64_t value;
} limit;

typedef struct {
    limit limits[7];
    bool alone;        /* no PID namespace: descendants are found by their parents */
    uint64_t resident; /* limit of the memory of all together, in bytes; 0: none */
    int filter;        /* descriptor with the seccomp filter; -1: none */
    int report;        /* descriptor for what it reports; -1: none */
    char **program;
} task;

static const task no_task = {.limits = {{.name = "core", .resource = RLIMIT_CORE},
                                        {.name = "nofile", .resource = RLIMIT_NOFILE},
                                        {.name = "cpu", .resource = RLIMIT_CPU},
                                        {.name = "fsize", .resource = RLIMIT_FSIZE},
                                        {.name = "nproc", .resource = RLIMIT_NPROC},
                                        {.name = "as", .resource = RLIMIT_AS},
                                        {.name = "data", .resource = RLIMIT_DATA}},
                             .filter = -1,
                             .report = -1};

static bool read_number(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool read_option(task *t, const char *option) {
    uint64_t value;
    const char *equals = strchr(option, '=');
    if (!strcmp(option, "--alone")) return t->alone = true;
    if (strncmp(option, "--", 2) || !equals || !read_number(equals + 1, &value)) return false;
    const char *name = option + 2;
    size_t n = (size_t)(equals - name);
    if (n == 8 && !strncmp(name, "resident", n)) t->resident = value;
    else if (n == 6 && !strncmp(name, "filter", n)) t->filter = (int)value;
    else if (n == 6 && !strncmp(name, "report", n)) t->report = (int)value;
    else {
        for (size_t i = 0; i < sizeof t->limits / sizeof *t->limits; i++) {
            limit *l = &t->limits[i];
            if (strlen(l->name) != n || strncmp(l->name, name, n)) continue;
            l->value = value;
            return l->given = true;
        }
        return false;
    }
    return true;
}

static bool read_task(task *t, char **argv) {
    *t = no_task;
    int i = 1;
    for (; argv[i] && strcmp(argv[i], "--"); i++)
        if (!read_option(t, argv[i])) return false;
    if (!argv[i] || !argv[i + 1]) return false;
    t->program = argv + i + 1;
    return true;
}

/* ---- the filter ---- */

static struct sock_filter instructions[MAX_FILTER];

static bool read_filter(int fd, struct sock_fprog *filter) {
    size_t have = 0;
    for (ssize_t n; have < sizeof instructions; have += (size_t)n) {
        n = pread(fd, (char *)instructions + have, sizeof instructions - have, (off_t)have);
        if (n < 0) return false;
        if (!n) break;
    }
    *filter = (struct sock_fprog){.len = (unsigned short)(have / sizeof *instructions),
                                  .filter = instructions};
    return have && have < sizeof instructions && have % sizeof *instructions == 0;
}

static bool put_filter(const struct sock_fprog *filter) {
    return !filter->len || (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
                            !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter));
}

/* ---- the program ---- */

/* Sets the limits. The soft limit of CPU time sends SIGXCPU, which says why; the hard limit, a
 * second later, ends a program that catches it. A limit is never above this process's own. */
static bool put_limits(const task *t) {
    for (size_t i = 0; i < sizeof t->limits / sizeof *t->limits; i++) {
        const limit *l = &t->limits[i];
        struct rlimit now;
        if (!l->given) continue;
        if (getrlimit((__rlimit_resource_t)l->resource, &now)) return false;
        rlim_t hard = l->value + (l->resource == RLIMIT_CPU);
        if (hard > now.rlim_max) hard = now.rlim_max;
        struct rlimit want = {l->value < hard ? l->value : hard, hard};
        if (setrlimit((__rlimit_resource_t)l->resource, &want)) return false;
    }
    return true;
}

static void report(const task *t, char what) {
    ssize_t ignored = t->report >= 0 ? write(t->report, &what, 1) : 0;
    (void)ignored;
}

/* Nothing of the program ran, so it is not the program's fault. */
static int not_started(const task *t, const char *step) {
    dprintf(2, "warplab-init: cannot start %s: could not %s: %s\n", t->program[0], step,
            strerror(errno));
    report(t, '!');
    return CANNOT_START;
}

static void start_program(const task *t, const struct sock_fprog *filter, pid_t parent) {
    const char *step = "set its limits";
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(CANNOT_START);
    if (t->report >= 0) fcntl(t->report, F_SETFD, FD_CLOEXEC);
    if (t->alone) setsid(); /* signals to the program's own group do not reach this process */
    if (put_limits(t)) {
        step = "put its filter into force";
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (put_filter(filter)) {
            step = "execute it";
            execv(t->program[0], t->program);
        }
    }
    _exit(not_started(t, step));
}

/* ---- processes ---- */

typedef struct {
    pid_t pid, parent;
    bool ours;
} person;
static person people[MAX_PROCESSES];

/* Reads a file of /proc/PID. Returns false if the process is gone. */
static bool read_proc(pid_t pid, const char *file, char *text, size_t n) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, n - 1);
    close(fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static pid_t parent_of(pid_t pid) {
    char text[512];
    /* "PID (NAME) STATE PARENT ...": NAME may contain anything, so search for the last
     * parenthesis. */
    char *name_end = read_proc(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    return name_end && strlen(name_end) > 4 ? (pid_t)strtol(name_end + 4, NULL, 10) : 0;
}

/* Puts all processes below this one into people[] and returns their number. In a PID namespace
 * these are all others. */
static size_t look_around(const task *t) {
    size_t n = 0, ours = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && n < MAX_PROCESSES && (e = readdir(d));) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid()) continue;
        people[n++] = (person){pid, t->alone ? parent_of(pid) : 0, !t->alone};
    }
    if (d) closedir(d);
    /* Parents may be listed after their children, so repeat until nothing more is found. */
    for (bool more = t->alone; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            bool below = people[i].parent == getpid();
            for (size_t k = 0; k < n && !below && !people[i].ours; k++)
                below = people[k].ours && people[k].pid == people[i].parent;
            if (below && !people[i].ours) more = people[i].ours = true;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (people[i].ours) people[ours++] = people[i];
    return ours;
}

/* ---- memory ---- */

/* Returns the memory that only this process causes: its own pages and shared pages without a file,
 * in memory or swapped out, and their page tables. Pages of programs and libraries do not count. */
static uint64_t memory_of(pid_t pid) {
    static const char *const kinds[] = {"\nRssAnon:", "\nRssShmem:", "\nVmSwap:", "\nVmPTE:"};
    char text[4096];
    uint64_t bytes = 0;
    if (!read_proc(pid, "status", text, sizeof text)) return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *line = strstr(text, kinds[i]);
        if (line) bytes += strtoull(line + strlen(kinds[i]), NULL, 10) << 10;
    }
    return bytes;
}

/* Returns the bytes left for all processes; negative: the limit is exceeded. */
static double memory_left(const task *t) {
    uint64_t bytes = 0;
    size_t n = look_around(t);
    for (size_t i = 0; i < n; i++) bytes += memory_of(people[i].pid);
    return (double)t->resident - (double)bytes;
}

/* ---- the end ---- */

/* Returns whether no process is left below this one: orphans fall back to it, so without a child it
 * has no other descendant either. */
static bool none_left(void) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    return ended < 0 && errno == ECHILD;
}

/* Kills all descendants. Without a namespace they are stopped first, so that none starts another
 * meanwhile. Repeats until none is left. */
static void end_all(const task *t) {
    for (int round = 0; round < ROUNDS && !none_left(); round++) {
        if (!t->alone) {
            kill(-1, SIGKILL); /* all others in the namespace */
        } else {
            size_t n = look_around(t);
            for (size_t i = 0; i < n; i++) kill(people[i].pid, SIGSTOP);
            n = look_around(t);
            for (size_t i = 0; i < n; i++) kill(people[i].pid, SIGKILL);
        }
        if (none_left()) return;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for the end of the program and returns its status. Ends it if the memory exceeds the
 * limit. */
static int watch(const task *t, pid_t program, const sigset_t *signals) {
    double pause = LOOK_S;
    for (;;) {
        struct timespec tick = {.tv_sec = (time_t)pause,
                                .tv_nsec = (long)((pause - (double)(time_t)pause) * 1e9)};
        int status,
            signal = t->resident ? sigtimedwait(signals, NULL, &tick) : sigwaitinfo(signals, NULL);
        if (signal == SIGTERM) end_all(t);
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) != 0;) {
            if (ended == program) return status;
            if (ended < 0 && errno == ECHILD) return SIGKILL; /* end_all() has reaped it */
            if (ended < 0) break;
        }
        if (!t->resident) continue;
        double begin = now(), left = memory_left(t);
        if (left < 0) {
            report(t, 'm');
            end_all(t);
            return SIGKILL;
        }
        double took = now() - begin;
        pause = left / FILL_RATE < LOOK_MOST_S ? left / FILL_RATE : LOOK_MOST_S;
        if (pause < LOOK_S) pause = LOOK_S;
        if (pause < took * LOOK_PART) pause = took * LOOK_PART;
    }
}

int main(int argc, char **argv) {
    task t;
    struct sock_fprog filter = {0};
    sigset_t signals;
    if (argc < 3 || !read_task(&t, argv)) {
        dprintf(2, "warplab-init: starts what warplab asks it to start; it takes [--alone] "
                   "[--LIMIT=N ...] -- PROGRAM\n");
        return CANNOT_START;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    /* If the parent has ended before this line, the process that started us handles it. */
    prctl(PR_SET_PDEATHSIG, t.alone ? SIGTERM : SIGKILL);
    if (prctl(PR_SET_DUMPABLE, 0) || (t.alone && prctl(PR_SET_CHILD_SUBREAPER, 1)) ||
        (t.filter >= 0 && !read_filter(t.filter, &filter)))
        return not_started(&t, "prepare");
    if (t.filter >= 0) close(t.filter);
    pid_t self = getpid(), program = fork();
    if (!program) start_program(&t, &filter, self);
    if (program < 0) return not_started(&t, "make a process for it");
    /* only the program keeps its descriptors */
    if (t.report > 0) syscall(SYS_close_range, 0u, (unsigned)t.report - 1, 0);
    syscall(SYS_close_range, (unsigned)t.report + 1, ~0u, 0);
    if (!put_filter(&filter)) {
        kill(program, SIGKILL);
        return CANNOT_START;
    }
    int status = watch(&t, program, &signals);
    end_all(&t);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
