/* The program under the debugger: built, started, served to its end. */
#ifndef WARPLAB_DEBUGGER_TARGET_H
#define WARPLAB_DEBUGGER_TARGET_H

#include "runner/debugger/debugger.h"
#include "runner/device/sim/debug/debug.h"
#include "grader/result.h"

typedef struct {
    const debugger_target *t;
    sim_debug *debug;
    char *program, *baseline; /* what target_build() made; malloc'ed */
    bool quiet;               /* the program's output is kept, not shown */
    /* of a lab's call, once it has ended; may be NULL */
    void (*ended)(void *user, const grade_case_result *r);
    void *user;
    char *output;    /* with `quiet`: what the program printed; malloc'ed */
    lib_message how; /* how it ended, none if well */
} target_run;

/* Builds what has to be built. False and *msg; the compiler's messages are in *log (malloc'ed or
 * NULL). */
bool target_build(target_run *r, char **log, lib_message *msg);
/* Runs the program once, from start to end; stops come in between. False and *msg: it could not be
 * run, or did not end well. */
bool target_go(target_run *r, lib_message *msg);
/* The line of the source at which it opens; 0: it has none of the texts, or none are said. */
unsigned target_opening(const debugger_target *t);
void target_free(target_run *r);

#endif
