/* Starting a program in a sandbox that is given, not looked for: sandbox.c tries out with it what
 * this machine can do. */
#ifndef WARPLAB_SANDBOX_SPAWN_H
#define WARPLAB_SANDBOX_SPAWN_H

#include "runner/sandbox/sandbox.h"

/* As sandbox_process_start(), in this sandbox; NULL: none. */
int sandbox_process_start_with(const sandbox_spawn *s, const sandbox_found *sandbox,
                               sandbox_process *p, lib_message *msg);

/* The path of warplab-init, which lies beside the libraries; NULL and *msg: it is not there. Any thread
 * (a student's file and the baseline are built at once). */
const char *sandbox_init(lib_message *msg);

/* Of what a program printed, or NULL; malloc'ed. */
char *sandbox_first_line(const char *output);

#endif
