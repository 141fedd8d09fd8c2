/* Starts a program in a given sandbox. sandbox.c uses it to try out what this machine can do. */
#ifndef WARPLAB_SANDBOX_SPAWN_H
#define WARPLAB_SANDBOX_SPAWN_H

#include "runner/sandbox/sandbox.h"

/* As sandbox_process_start(), in this sandbox; NULL: none. */
int sandbox_process_start_with(const sandbox_spawn *s, const sandbox_found *sandbox,
                               sandbox_process *p, lib_message *msg);

/* Returns the path of warplab-init, which is next to the libraries; NULL and *msg: it is missing.
 * Any thread (a student's file and the baseline are built at the same time). */
const char *sandbox_init(lib_message *msg);

/* Returns the first line that a program printed, malloc'ed, or NULL. */
char *sandbox_first_line(const char *output);

#endif
