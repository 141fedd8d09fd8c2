/* The filter of system calls, as bubblewrap takes it. */
#ifndef WARPLAB_SANDBOX_SECCOMP_H
#define WARPLAB_SANDBOX_SECCOMP_H

#include <stdbool.h>

/* A fresh memfd with the filter (bwrap reads it from its offset), or -1. */
int sandbox_filter(bool may_fork);

#endif
