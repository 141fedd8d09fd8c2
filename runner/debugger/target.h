/* The program under the debugger: builds it, starts it, serves it to its end. */
#ifndef WARPLAB_DEBUGGER_TARGET_H
#define WARPLAB_DEBUGGER_TARGET_H

#include "runner/debugger/debugger.h"
#include "runner/device/sim/debug/debug.h"
#include "grader/result.h"

typedef struct {
    const debugger_target *t;
    sim_debug *debug;
    char *program, *baseline; /* made by target_build(); malloc'ed */
    bool quiet;               /* keep the program's output instead of showing it */
    /* called after a lab's call has ended; may be NULL */
    void (*ended)(void *user, const grade_case_result *r);
    void *user;
    char *output;    /* with `quiet`: the program's output; malloc'ed */
    lib_message how; /* how the program ended; empty if well */
} target_run;

/* Builds what is necessary. Returns false and sets *msg on an error; *log then has the compiler's
 * messages (malloc'ed or NULL). */
bool target_build(target_run *r, char **log, lib_message *msg);
/* Runs the program once from start to end, with stops in between. Returns false and sets *msg if it
 * could not be run or did not end well. */
bool target_go(target_run *r, lib_message *msg);
/* Returns the source line at which the lesson stops; 0 if it names no texts, or the source has none
 * of them. */
unsigned target_opening(const debugger_target *t);
void target_free(target_run *r);

#endif
