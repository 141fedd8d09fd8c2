/* What sandbox.c, spawn.c and cgroup.c share. */
#ifndef WARPLAB_SANDBOX_PRIVATE_H
#define WARPLAB_SANDBOX_PRIVATE_H

#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

enum {
    SANDBOX_MAX_ARGUMENTS = 512,
    SANDBOX_MAX_FDS = 8,
    SANDBOX_MAX_STAGES = 64,
    SANDBOX_FIRST_FD = 10
};
#define SANDBOX_STAGE                                                                              \
    "/tmp" /* in a mount namespace of the child's own: where the binds wait for bwrap */

typedef struct {
    char *from;
    char at[16];
    bool folder;
} sandbox_stage;

/* bwrap's argument vector, and the descriptors its arguments name: fds[i] becomes SANDBOX_FIRST_FD
 * + i. */
typedef struct {
    char *argv[SANDBOX_MAX_ARGUMENTS];
    size_t argc;
    int fds[SANDBOX_MAX_FDS];
    size_t fd_count;
    sandbox_stage stages[SANDBOX_MAX_STAGES];
    size_t stage_count;
    int status; /* bwrap writes here what became of it (--json-status-fd); -1: taken */
    bool overflow;
} sandbox_argv;
bool sandbox_arguments(const sandbox_spawn *q, const sandbox_found *s, sandbox_argv *a,
                       lib_message *msg);
void sandbox_argv_free(sandbox_argv *a);

/* As sandbox_process_start(), in this sandbox; NULL: none. */
int sandbox_process_start_with(const sandbox_spawn *s, const sandbox_found *sandbox,
                               sandbox_process *p, lib_message *msg);

/* cgroup.c: folders with memory.max and pids.max for one process and its children, where they can
 * be had. */
bool cgroup_available(void);
void cgroup_make(sandbox_process *p, uint64_t memory,
                 unsigned pids); /* names the folders in p->cgroup */
bool cgroup_enter(const sandbox_process *p, pid_t pid);
void cgroup_remove(sandbox_process *p); /* kills what is left in it */

#endif
