/* What sandbox.c, spawn.c and cgroup.c share. */
#ifndef WARPLAB_SANDBOX_PRIVATE_H
#define WARPLAB_SANDBOX_PRIVATE_H

#include "sandbox.h"

enum { LAB_MAX_ARGUMENTS = 512, LAB_MAX_FDS = 8, LAB_MAX_STAGES = 64, LAB_FIRST_FD = 10 };
#define LAB_STAGE "/tmp" /* in a mount namespace of the child's own: where the binds wait for bwrap */

typedef struct {
    char *from;
    char at[16];
    bool folder;
} lab_stage;

/* bwrap's argument vector, and the descriptors its arguments name: fds[i] becomes LAB_FIRST_FD + i. */
typedef struct {
    char *argv[LAB_MAX_ARGUMENTS];
    size_t argc;
    int fds[LAB_MAX_FDS];
    size_t fd_count;
    lab_stage stages[LAB_MAX_STAGES];
    size_t stage_count;
    int status; /* bwrap writes here what became of it (--json-status-fd); -1: taken */
    bool overflow;
} lab_arguments;
bool sandbox_arguments(const lab_spawn *q, const lab_sandbox *s, lab_arguments *a, sim_message *msg);
void lab_arguments_free(lab_arguments *a);

/* As lab_process_start(), in this sandbox; NULL: none. */
int lab_process_start_with(const lab_spawn *s, const lab_sandbox *sandbox, lab_process *p, sim_message *msg);

/* cgroup.c: folders with memory.max and pids.max for one process and its children, where they can be had. */
bool cgroup_available(void);
void cgroup_make(lab_process *p, uint64_t memory, unsigned pids); /* names the folders in p->cgroup */
bool cgroup_enter(const lab_process *p, pid_t pid);
void cgroup_remove(lab_process *p); /* kills what is left in it */

#endif
