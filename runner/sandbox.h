/* Running programs that nobody trusts: bubblewrap's namespaces, rlimits, a seccomp filter, an output cap and
 * a wall clock.
 *
 *   lab_spawn --lab_process_start()--> lab_process --lab_process_wait()--> lab_exit
 *
 * lab_spawn says what to run, what it may see and how much it may use. Never a shell. Works as root and as a
 * user. What the machine cannot give is told by lab_sandbox_get(), each limit by itself. */
#ifndef WARPLAB_SANDBOX_H
#define WARPLAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "util.h"

typedef enum {
    LAB_SANDBOX_REQUIRED, /* spawn fails where there is no sandbox: untrusted work */
    LAB_SANDBOX_IF_ANY,   /* a student's own code on their own machine: else a plain child with rlimits */
    LAB_SANDBOX_NONE      /* a plain child with rlimits: our own tools, or --no-sandbox */
} lab_sandbox_mode;

/* One folder or file made visible. Everything else but /usr (read-only), /proc, a bare /dev and an empty /tmp
 * is not there. */
typedef struct {
    const char *from, *to; /* to: NULL: the same path */
    bool writable, optional;
} lab_bind;

typedef struct {
    const char *const *argv; /* NULL-terminated; argv[0] is an absolute path as the child sees it */
    const char *const
        *env;        /* "NAME=value", NULL-terminated; the child gets only these (and PATH, LANG, HOME) */
    const char *cwd; /* as the child sees it; NULL: /tmp */
    const lab_bind *binds;
    size_t bind_count;
    lab_sandbox_mode mode;
    bool may_fork;         /* a compiler starts others; a submission does not */
    double cpu_s, wall_s;  /* 0: 60, 120 */
    uint64_t memory;       /* address space of each process, bytes; 0: none */
    uint64_t resident;     /* memory of all its processes, by cgroup where it can be had; 0: as memory */
    uint64_t file_bytes;   /* largest file it may write; 0: 64 MiB */
    uint64_t tmp_bytes;    /* size of /tmp; 0: 64 MiB */
    unsigned processes;    /* processes and threads; 0: 64 */
    uint64_t output_bytes; /* of stdout and stderr kept, the rest is dropped with a note; 0: 256 KiB */
    bool inherit_output;   /* profile: the program's own stdout and stderr, straight through */
    bool inherit_input;
    bool inherit_env; /* without a sandbox: env is added to this process's environment */
    int pass_fd;      /* >= 0: becomes descriptor 3 of the child and WARPLAB_FD=3 is set; else -1 (0 would be
                         stdin!) */
    const volatile int *cancel;
} lab_spawn;
void lab_spawn_init(lab_spawn *s); /* every field's default; pass_fd -1 */

typedef struct {
    pid_t pid;
    bool sandboxed;
    bool own_group;  /* leads a process group that can be killed as one */
    double deadline; /* on lab_now()'s clock; 0: none */
    int status;      /* what bwrap says became of it; -1: none */
    struct lab_reader
        *reader; /* the thread that keeps its output from filling the pipe; NULL with inherit_output */
    char cgroup[2][128]; /* folders to remove, "" if none */
} lab_process;
/* 0, or -1 and *msg. */
int lab_process_start(const lab_spawn *s, lab_process *p, sim_message *msg);

/* NOT_STARTED: the sandbox failed before the program (a file that it was to show is gone, say): nothing of the
 * program ran, and `output` is what bwrap said. */
typedef enum {
    LAB_END_EXIT,
    LAB_END_SIGNAL,
    LAB_END_TIMEOUT,
    LAB_END_CANCELLED,
    LAB_END_NOT_STARTED
} lab_end;
typedef struct {
    lab_end end;
    int code;        /* exit status or signal number */
    int wait_status; /* as waitpid() gives it, sandbox or not */
    char *output;    /* malloc'ed, NUL behind; NULL with inherit_output */
    size_t output_len;
    bool output_cut;
} lab_exit;
/* Collects output until the program ends, its wall clock runs out or *cancel is set; whatever is left of it
 * is killed. */
void lab_process_wait(lab_process *p, const volatile int *cancel, lab_exit *e);
/* Kills it and everything it started, then waits. */
void lab_process_kill(lab_process *p, lab_exit *e);
void lab_exit_free(lab_exit *e);
/* "exit status 1", "signal SIGSEGV (invalid memory reference)", "the time limit of 60 s". */
void lab_exit_text(const lab_exit *e, char *text, size_t n);
/* Start, wait, free nothing: for tools. */
int lab_run(const lab_spawn *s, lab_exit *e, sim_message *msg);

/* What is in force on this machine, found by a probe on the first call and kept. */
typedef enum {
#define LIMIT(id, name, what, why) LAB_LIMIT_##id,
#include "limits.def"
#undef LIMIT
    LAB_LIMIT_COUNT
} lab_limit;
typedef struct {
    bool works;        /* programs can be started in it */
    char program[256]; /* bwrap's path */
    char version[64];
    char why_not[512];   /* what is missing and what to do, when it does not work */
    bool disable_userns; /* bwrap knows --disable-userns */
    bool drop_uid;       /* started by root: bwrap itself runs as uid 65534, so that process limits count */
    bool prlimit;        /* /usr/bin/prlimit sets the limits inside */
    bool cgroup;         /* memory.max and pids.max can be set */
} lab_sandbox;
const lab_sandbox *lab_sandbox_get(void);

/* Breaks each limit inside the sandbox and looks whether it held: fn(limit, name, held, detail). Takes a few
 * seconds. */
void lab_sandbox_probe(void (*fn)(void *user, lab_limit limit, const char *name, const char *what, bool held,
                                  const char *detail),
                       void *user);
/* The other half: `warplab --probe NAME`, run inside the sandbox. */
int lab_sandbox_probe_child(const char *name);

#endif
