/* Running programs that nobody trusts: bubblewrap's namespaces, rlimits, a seccomp filter, an
 * output cap and a wall clock.
 *
 *   sandbox_spawn --sandbox_process_start()--> sandbox_process --sandbox_process_wait()--> sandbox_exit
 *
 * sandbox_spawn says what to run, what it may see and how much it may use. Never a shell. Works as
 * root and as a user. What the machine cannot give is told by sandbox_get(), each limit by
 * itself. */
#ifndef WARPLAB_SANDBOX_H
#define WARPLAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"

typedef enum {
    SANDBOX_REQUIRED, /* spawn fails where there is no sandbox: untrusted work */
    SANDBOX_IF_ANY, /* a student's own code on their own machine: else a plain child with rlimits */
    SANDBOX_NONE    /* a plain child with rlimits: our own tools, or --no-sandbox */
} sandbox_mode;

/* One folder or file made visible. Everything else but /usr (read-only), /proc, a bare /dev and an
 * empty /tmp is not there. */
typedef struct {
    const char *from, *to; /* to: NULL: the same path */
    bool writable, optional;
} sandbox_bind;

typedef struct {
    const char *const *argv; /* NULL-terminated; argv[0] is an absolute path as the child sees it */
    /* "NAME=value", NULL-terminated; the child gets only these (and PATH, LANG, HOME) */
    const char *const *env;
    const char *cwd; /* as the child sees it; NULL: /tmp */
    const sandbox_bind *binds;
    size_t bind_count;
    sandbox_mode mode;
    bool may_fork;        /* a compiler starts others; a submission does not */
    double cpu_s, wall_s; /* 0: 60, 120 */
    uint64_t memory;      /* address space of each process, bytes; 0: none */
    /* memory of all its processes, by cgroup where it can be had, and by looking; 0: as memory */
    uint64_t resident;
    uint64_t file_bytes; /* largest file it may write; 0: 64 MiB */
    uint64_t tmp_bytes;  /* size of /tmp; 0: 64 MiB */
    unsigned processes;  /* processes and threads; 0: 64 */
    /* of stdout and stderr kept, the rest is dropped with a note; 0: 256 KiB */
    uint64_t output_bytes;
    bool inherit_output; /* profile: the program's own stdout and stderr, straight through */
    bool inherit_input;
    int input_fd;     /* its standard input; -1: empty */
    bool inherit_env; /* without a sandbox: env is added to this process's environment */
    int pass_fd; /* >= 0: becomes descriptor 3 of the child and WARPLAB_FD=3 is set; else -1 (0 would be
                         stdin!) */
    const volatile int *cancel;
} sandbox_spawn;
void sandbox_spawn_init(sandbox_spawn *s); /* every field's default */
/* The defaults of a program of the user's own: no sandbox and no limits, with this process's environment
 * and `env` (NULL-terminated, borrowed) on top, where this process is: here, of PATH_MAX bytes, holds
 * that folder and has to outlive the start. */
void sandbox_spawn_own(sandbox_spawn *s, const char *const *argv, const char *const *env,
                       char *here);

typedef struct {
    pid_t pid;
    bool sandboxed;
    bool own_group;  /* leads a process group that can be killed as one */
    bool supervised; /* no sandbox, and warplab-init ends all that it starts */
    double deadline; /* on lib_now()'s clock; 0: none */
    int status;      /* what bwrap says became of it; -1: none */
    int failed;      /* what warplab-init says when it could not start it; -1: none */
    /* the thread that keeps its output from filling the pipe; NULL with inherit_output */
    struct sandbox_reader *reader;
    char cgroup[2][128]; /* folders to remove, "" if none */
} sandbox_process;
/* 0, or -1 and *msg. */
int sandbox_process_start(const sandbox_spawn *s, sandbox_process *p, lib_message *msg);
/* The same for a program of the user's own: no sandbox and no limits, where the user is and with their
 * environment, but with the libraries of `libs` before others and the language said. `fd` is handed on. */
int sandbox_start_own(const char *libs, lib_lang lang, const char *const *argv, bool input,
                      bool output, int fd, sandbox_process *p, lib_message *msg);

/* NOT_STARTED: the sandbox failed before the program (a file that it was to show is gone, say):
 * nothing of the program ran, and `output` is what bwrap said. */
typedef enum {
    SANDBOX_END_EXIT,
    SANDBOX_END_SIGNAL,
    SANDBOX_END_TIMEOUT,
    SANDBOX_END_CANCELLED,
    SANDBOX_END_NOT_STARTED
} sandbox_end;
typedef struct {
    sandbox_end end;
    int code;        /* exit status or signal number */
    int wait_status; /* as waitpid() gives it, sandbox or not */
    char *output;    /* malloc'ed, NUL behind; NULL with inherit_output */
    size_t output_len;
    bool output_cut;
} sandbox_exit;
/* Collects output until the program ends, its wall clock runs out or *cancel is set; whatever is
 * left of it is killed. */
void sandbox_process_wait(sandbox_process *p, const volatile int *cancel, sandbox_exit *e);
/* Kills it and everything it started, then waits. */
void sandbox_process_kill(sandbox_process *p, sandbox_exit *e);
void sandbox_exit_free(sandbox_exit *e);
/* "exit status 1", "signal SIGSEGV (invalid memory reference)", "the time limit". */
void sandbox_exit_message(const sandbox_exit *e, lib_message *how);
/* Start, wait, free nothing: for tools. */
int sandbox_run(const sandbox_spawn *s, sandbox_exit *e, lib_message *msg);

/* What is in force on this machine, found by a probe on the first call and kept. */
typedef enum {
#define LIMIT(id, name, why) SANDBOX_LIMIT_##id,
#include "runner/sandbox/limits.def"
#undef LIMIT
    SANDBOX_LIMIT_COUNT
} sandbox_limit;
typedef struct {
    bool works;         /* programs can be started in it */
    char program[4096]; /* bwrap's path */
    char version[64];
    lib_message why_not; /* what is missing and what to do, when it does not work */
    bool disable_userns; /* bwrap knows --disable-userns */
    /* started by root: bwrap itself runs as uid 65534, so that process limits count */
    bool drop_uid;
    bool cgroup; /* memory.max and pids.max can be set */
    /* warplab-init (runner/init): process 1 inside, and the parent of what runs without a sandbox
     */
    char init[4096];
    char root[4096]; /* the project's folder: what of it lies below /usr is not shown */
} sandbox_found;
const sandbox_found *sandbox_get(void);

/* Breaks each limit inside the sandbox and looks whether it held: its name in limits.def, what a submission
 * cannot do, and what came of the attempt. Takes a few seconds. */
void sandbox_probe(void (*fn)(void *user, const char *name, lib_word_id what, bool held,
                              const lib_message *detail),
                   void *user);
/* The other half: `warplab --probe NAME`, run inside the sandbox. */
int sandbox_probe_child(const char *name);

#endif
