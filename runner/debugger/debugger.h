/* `warplab debug`, the lab's `debug` and `warplab dap`: the door of this room.
 *
 *   FILE.cu, PROGRAM, LAB --target.c: built with -G, started, a device with a debugger under it-->
 *       stops (device/sim/debug/debug.h) --> shell.c: commands at a prompt (commands.def), views.c what they print
 *                                 --> dap.c: the Debug Adapter Protocol, for editors
 *
 * The program under the debugger waits in a runtime call while somebody looks: everything here runs
 * in the one thread that serves it. */
#ifndef WARPLAB_DEBUGGER_H
#define WARPLAB_DEBUGGER_H

#include <stdio.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/grade/grading.h"
#include "grader/lab.h"

/* Where a lab's lesson has it open: the program runs there at once. */
typedef struct {
    const char *const *at; /* the first line that has the first of these texts that there is */
    size_t at_count;       /* 0: at the first finding */
    const char *text[LIB_LANGS];
} debugger_opening;

/* What is debugged: a program, a .cu file with a main(), or a lab's function on one case. */
typedef struct {
    const char *shown;               /* what was asked for */
    const char *source;              /* the .cu file, or NULL */
    const char *program;             /* a program that is there already, or NULL */
    char *const *arguments;          /* of the program, from [1] on; NULL-terminated; may be NULL */
    const char *device;              /* "sim:h200" */
    lib_lang lang;                   /* of what is said on the program's stderr */
    const grade_lab *lab;            /* with `source`: the lab's function; else NULL */
    const char *baseline;            /* its baseline's .cu */
    size_t number;                   /* which public case, from 1; 0: the timed one */
    sandbox_mode mode;               /* of the lab's programs */
    const debugger_opening *opening; /* or NULL: nothing runs before it is asked to */
} debugger_target;

/* At a prompt: commands are read from `in` and answered on `out`. The exit status. */
int debugger_shell(const debugger_target *t, lib_lang lang, FILE *in, FILE *out);
/* Fills `t` for a lab: source (a file of the student's, or `file`), lab, baseline, opening; with a
 * number that is 0 the lesson's own case, or the first. What it points to lives as long as the
 * process. False and *msg. */
typedef bool debugger_lab(debugger_target *t, const char *id, const char *file, lib_message *msg);
/* Debug Adapter Protocol on two streams, until the client disconnects. The target comes with the
 * client's launch request; a lab is looked up by `lab`. The exit status. */
int debugger_dap(FILE *in, FILE *out, lib_lang lang, debugger_lab *lab);

#endif
