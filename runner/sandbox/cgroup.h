/* cgroups: folders with memory.max and pids.max for one process and its children, if available. */
#ifndef WARPLAB_SANDBOX_CGROUP_H
#define WARPLAB_SANDBOX_CGROUP_H

#include "runner/sandbox/sandbox.h"

bool cgroup_available(void);
/* Puts the names of the folders into p->cgroup. */
void cgroup_make(sandbox_process *p, uint64_t memory, unsigned pids);
bool cgroup_enter(const sandbox_process *p, pid_t pid);
/* Returns whether the kernel ended a process in them because of their memory limit. */
bool cgroup_over_memory(const sandbox_process *p);
void cgroup_remove(sandbox_process *p); /* kills what is left in them */

#endif
