/* The filter of system calls, in bubblewrap's format. */
#ifndef WARPLAB_SANDBOX_SECCOMP_H
#define WARPLAB_SANDBOX_SECCOMP_H

#include <stdbool.h>

/* Returns a new memfd with the filter (bwrap reads from its offset), or -1. */
int sandbox_filter(bool may_fork);

#endif
