/* bubblewrap's argument vector for one program: bubblewrap.c fills it and spawn.c starts it. */
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
    "/tmp" /* in a mount namespace of the child's own: the binds are here for bwrap */

typedef struct {
    char *from;
    char at[16];
    bool folder;
} sandbox_stage;

/* bwrap's argument vector, and the descriptors that its arguments name: fds[i] becomes
 * SANDBOX_FIRST_FD + i. */
typedef struct {
    char *argv[SANDBOX_MAX_ARGUMENTS];
    size_t argc;
    int fds[SANDBOX_MAX_FDS];
    size_t fd_count;
    sandbox_stage stages[SANDBOX_MAX_STAGES];
    size_t stage_count;
    int status; /* bwrap writes here how the program ended (--json-status-fd); -1: none, or taken */
    int report; /* warplab-init's --report; likewise */
    bool overflow;
} sandbox_argv;
bool sandbox_arguments(const sandbox_spawn *q, const sandbox_found *s, sandbox_argv *a,
                       lib_message *msg);
/* Without a sandbox: only warplab-init and the program's own arguments. */
bool sandbox_plain_arguments(const sandbox_spawn *q, const char *init, sandbox_argv *a,
                             lib_message *msg);
void sandbox_argv_free(sandbox_argv *a);

#endif
