/* Runs one of the compiler's tools where this build runs its tools, and reports how it ended. */
#ifndef WARPLAB_BUILD_TOOL_H
#define WARPLAB_BUILD_TOOL_H

#include "runner/build/job.h"

typedef enum {
    TOOL_OK,          /* ended with status 0 */
    TOOL_CANCELLED,   /* not the source's fault, like the next three */
    TOOL_NOT_RUN,     /* the process could not be created */
    TOOL_NOT_STARTED, /* the sandbox failed before the tool */
    TOOL_DISK_FULL,
    /* the machine did not give it a process, descriptor or memory to start another tool */
    TOOL_STARVED,
    TOOL_TOO_LONG,  /* the source's fault, like all below: too much CPU or elapsed time */
    TOOL_TOO_LARGE, /* a process met its memory limit */
    TOOL_CRASHED,   /* a signal */
    TOOL_FAILED     /* its messages say what is wrong */
} tool_outcome;

typedef struct {
    const char *const *argv;
    const char *cwd;  /* as the tool sees it; NULL: /tmp */
    const char *glue; /* the object that is linked, or NULL */
    const char *what; /* in messages: "nvcc" */
    lib_buffer *raw;  /* not NULL: receives the output as it is; the log does not */
    /* its failure has no consequence and is not reported, except if it was cancelled */
    bool optional;
    bool steps; /* steps.h: a status above 128 is a signal that ended one of nvcc's steps */
} build_tool;
/* For anything except TOOL_OK, b->r says why, and whether it is infra. */
tool_outcome build_tool_run(build_job *b, const build_tool *t);

/* Returns whether the machine refused the tool a process, a descriptor, or the memory to start
 * another tool, judged by the output of the failed tool. */
bool build_tool_starved(const char *output);

#endif
