/* `warplab debug`, the lab's `debug` and `warplab dap`: the door of this room.
 *
 *   FILE.cu, PROGRAM, LAB --target.c: built with -G, started, a device with a debugger under it-->
 *       stops (sim/debug/debug.h) --> shell.c: commands at a prompt (commands.def), views.c what they print
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

/* What is debugged: a program, a .cu file with a main(), or a lab's function on one case. */
typedef struct {
    const char *shown;      /* what was asked for */
    const char *source;     /* the .cu file, or NULL */
    const char *program;    /* a program that is there already, or NULL */
    char *const *arguments; /* of the program, from [1] on; NULL-terminated; may be NULL */
    const char *device;     /* "sim:h200" */
    const grade_lab *lab;   /* with `source`: the lab's function; else NULL */
    const char *baseline;   /* its baseline's .cu */
    size_t number;          /* which public case, from 1; 0: the timed one */
    sandbox_mode mode;      /* of the lab's programs */
} debugger_target;

/* At a prompt: commands are read from `in` and answered on `out`. The exit status. */
int debugger_shell(const debugger_target *t, lib_lang lang, FILE *in, FILE *out);
/* Debug Adapter Protocol on two streams, until the client disconnects. The target comes with the
 * client's launch request. The exit status. */
int debugger_dap(FILE *in, FILE *out, lib_lang lang);

#endif
