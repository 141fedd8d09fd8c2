/* The argument vector of bubblewrap for one program: what bubblewrap.c fills and spawn.c starts. */
#ifndef WARPLAB_SANDBOX_BUBBLEWRAP_H
#define WARPLAB_SANDBOX_BUBBLEWRAP_H

#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

enum {
    SANDBOX_MAX_ARGUMENTS = 512,
    SANDBOX_MAX_FDS = 8,
    SANDBOX_MAX_STAGES = 64,
    SANDBOX_FIRST_FD = 10,
    SANDBOX_NOFILE = 256
};
#define SANDBOX_INIT "/warplab-init" /* its place inside */
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
    int status; /* bwrap writes here what became of it (--json-status-fd); -1: none, or taken */
    int failed; /* warplab-init writes here that the program was not started; likewise */
    bool overflow;
} sandbox_argv;
bool sandbox_arguments(const sandbox_spawn *q, const sandbox_found *s, sandbox_argv *a,
                       lib_message *msg);
/* Without a sandbox: warplab-init and the program's own. */
bool sandbox_plain_arguments(const sandbox_spawn *q, const char *init, sandbox_argv *a,
                             lib_message *msg);
void sandbox_argv_free(sandbox_argv *a);

#endif
