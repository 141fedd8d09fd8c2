/* Running one of the compiler's tools where this build runs its tools, and saying what became of it. */
#ifndef WARPLAB_BUILD_TOOL_H
#define WARPLAB_BUILD_TOOL_H

#include "runner/build/job.h"

typedef enum {
    TOOL_OK,          /* ended with status 0 */
    TOOL_CANCELLED,   /* not the source's fault, as the four below */
    TOOL_NOT_RUN,     /* the process could not be made */
    TOOL_NOT_STARTED, /* the sandbox failed before the tool */
    TOOL_DISK_FULL,
    TOOL_STARVED,   /* the machine gave it no process, descriptor or memory to start another with */
    TOOL_TOO_LONG,  /* the source's fault, as all below: computing or the clock ran out */
    TOOL_TOO_LARGE, /* a process met its limit of memory */
    TOOL_CRASHED,   /* a signal */
    TOOL_FAILED     /* it said what is wrong */
} tool_outcome;

typedef struct {
    const char *const *argv;
    const char *cwd;  /* as the tool sees it; NULL: /tmp */
    const char *glue; /* the object that is linked, or NULL */
    const char *what; /* in messages: "nvcc" */
    lib_buffer *raw;  /* not NULL: output goes here as it is, not into the log */
    bool optional; /* what becomes of it is nobody's fault, and not told but when it is cancelled */
    bool steps;    /* steps.h: a status above 128 is a signal that ended one of nvcc's steps */
} build_tool;
/* On anything but TOOL_OK b->r says why, infra or not. */
tool_outcome build_tool_run(build_job *b, const build_tool *t);

/* Has the machine refused the tool a process, a descriptor, or the memory to start another tool? By what a
 * tool that failed printed. */
bool build_tool_starved(const char *output);

#endif
