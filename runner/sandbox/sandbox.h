/* Runs untrusted programs, with bubblewrap's namespaces, rlimits, a seccomp filter, a limit of
 * output and a limit of elapsed time.
 *
 *   sandbox_spawn --sandbox_process_start()--> sandbox_process --sandbox_process_wait()-->
 *     sandbox_exit
 *
 * sandbox_spawn says what to run, what the program may see and how much it may use. No shell is
 * involved. This works as root and as a user. sandbox_get() tells which limits this machine cannot
 * enforce. */
#ifndef WARPLAB_SANDBOX_H
#define WARPLAB_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"

typedef enum {
    SANDBOX_REQUIRED, /* spawn fails without a sandbox: for untrusted work */
    /* a student's own code on their own machine: without a sandbox, a plain child with rlimits */
    SANDBOX_IF_ANY,
    SANDBOX_NONE /* a plain child with rlimits: our own tools, or --no-sandbox */
} sandbox_mode;

/* A folder or file that is made visible. Besides these, only /usr (read-only), /proc, a minimal
 * /dev and an empty /tmp exist. */
typedef struct {
    const char *from, *to; /* to: NULL: the same path */
    bool writable, optional;
} sandbox_bind;

typedef struct {
    const char *const *argv; /* NULL-terminated; argv[0] is an absolute path as the child sees it */
    /* "NAME=value", NULL-terminated; the child only gets these (and PATH, LANG, HOME) */
    const char *const *env;
    const char *cwd; /* as the child sees it; NULL: /tmp */
    const sandbox_bind *binds;
    size_t bind_count;
    sandbox_mode mode;
    bool may_fork;        /* a compiler starts others; a submission does not */
    double cpu_s, wall_s; /* 0: 60, 120 */
    uint64_t memory;      /* address space of each process, bytes; 0: none */
    /* limit of the memory of all its processes, by cgroup if available, and by checks; 0: as
     * memory */
    uint64_t resident;
    uint64_t file_bytes; /* largest file it may write; 0: 64 MiB */
    uint64_t tmp_bytes;  /* size of /tmp; 0: 64 MiB */
    unsigned processes;  /* processes and threads; 0: 64 */
    /* bytes of stdout and stderr that are kept; the rest is dropped with a note; 0: 256 KiB */
    uint64_t output_bytes;
    bool inherit_output; /* profile: the program's own stdout and stderr, passed straight through */
    bool inherit_input;
    int input_fd;     /* its standard input; -1: empty */
    bool inherit_env; /* without a sandbox: env is added to this process's environment */
    /* >= 0: becomes descriptor 3 of the child, and WARPLAB_FD=3 is set; otherwise -1 (0 would be
     * stdin!) */
    int pass_fd;
    const volatile int *cancel;
} sandbox_spawn;
void sandbox_spawn_init(sandbox_spawn *s); /* sets every field's default */
/* Sets the defaults for a program of the user's own: no sandbox and no limits, this process's
 * environment with `env` (NULL-terminated, borrowed) added, in this process's folder. here:
 * PATH_MAX bytes that receive that folder and must outlive the start. */
void sandbox_spawn_own(sandbox_spawn *s, const char *const *argv, const char *const *env,
                       char *here);

typedef struct {
    pid_t pid;
    bool sandboxed;
    bool own_group;  /* it leads a process group, which can be killed as a whole */
    bool supervised; /* without a sandbox: warplab-init ends all that the program starts */
    double deadline; /* on lib_now()'s clock; 0: none */
    int status;      /* bwrap's report on its end; -1: none */
    int report;      /* warplab-init's --report; -1: none */
    /* the thread that empties the output pipe; NULL with inherit_output */
    struct sandbox_reader *reader;
    char cgroup[2][128]; /* folders to remove; "": none */
} sandbox_process;
/* Returns 0, or -1 and sets *msg. */
int sandbox_process_start(const sandbox_spawn *s, sandbox_process *p, lib_message *msg);
/* The same for a program of the user's own: no sandbox and no limits, in the user's folder and
 * environment, but with the libraries of `libs` before others and with the given language. `fd` is
 * passed on. */
int sandbox_start_own(const char *libs, lib_lang lang, const char *const *argv, bool input,
                      bool output, int fd, sandbox_process *p, lib_message *msg);

/* NOT_STARTED: the sandbox failed before the program (for example, a file that it should show does
 * not exist): nothing of the program ran, and `output` is what bwrap said. */
typedef enum {
    SANDBOX_END_EXIT,
    SANDBOX_END_SIGNAL,
    SANDBOX_END_TIMEOUT,
    SANDBOX_END_CANCELLED,
    SANDBOX_END_NOT_STARTED
} sandbox_end;
typedef struct {
    sandbox_end end;
    int code;         /* exit status or signal number */
    int wait_status;  /* as from waitpid(), with or without a sandbox */
    bool over_memory; /* a signal ended it because it used more than sandbox_spawn.resident */
    /* of the program, and of what it started and waited for; 0: unknown */
    double cpu_s;        /* all together */
    uint64_t peak_bytes; /* the most memory that one of them had in use */
    char *output;        /* malloc'ed, with a NUL; NULL with inherit_output */
    size_t output_len;
    bool output_cut;
} sandbox_exit;
/* Collects output until the program ends, its time limit passes or *cancel is set. Kills what is
 * left of it. */
void sandbox_process_wait(sandbox_process *p, const volatile int *cancel, sandbox_exit *e);
/* Kills the program and everything that it started, then waits. */
void sandbox_process_kill(sandbox_process *p, sandbox_exit *e);
void sandbox_exit_free(sandbox_exit *e);
/* "exit status 1", "signal SIGSEGV (invalid memory reference)", "the time limit". */
void sandbox_exit_message(const sandbox_exit *e, lib_message *how);
/* Starts, waits, frees nothing: for tools. */
int sandbox_run(const sandbox_spawn *s, sandbox_exit *e, lib_message *msg);

/* What this machine can enforce, found by a probe on the first call and kept. */
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
    lib_message why_not; /* what is missing and what to do, if it does not work */
    bool disable_userns; /* bwrap knows --disable-userns */
    /* root started it: bwrap itself runs as uid 65534, so that process limits count */
    bool drop_uid;
    bool cgroup; /* memory.max and pids.max can be set */
    /* warplab-init (runner/init): process 1 in the sandbox, and the parent of programs without a
     * sandbox */
    char init[4096];
    char root[4096]; /* the project's folder: its parts below /usr are hidden */
} sandbox_found;
const sandbox_found *sandbox_get(void);

/* Breaks each limit inside the sandbox and checks whether it held. fn gets its name in limits.def,
 * what a submission cannot do, and the result of the attempt. Takes a few seconds. */
void sandbox_probe(void (*fn)(void *user, const char *name, lib_word_id what, bool held,
                              const lib_message *detail),
                   void *user);
/* The other half: `warplab --probe NAME`, run inside the sandbox. */
int sandbox_probe_child(const char *name);

#endif
