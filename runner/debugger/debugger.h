/* `warplab debug`, the lab's `debug` and `warplab dap`: the door of this room.
 *
 *   FILE.cu, PROGRAM, LAB --target.c: built with -G, started, a device with a debugger under it-->
 *       stops (device/sim/debug/debug.h)
 *           --> shell.c: commands at a prompt (commands.def); views.c prints
 *           --> dap.c: the Debug Adapter Protocol, for editors
 *
 * While the program is stopped, it waits in a runtime call. Everything here runs in the thread that
 * serves it. */
#ifndef WARPLAB_DEBUGGER_H
#define WARPLAB_DEBUGGER_H

#include <stdio.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/grade/grading.h"
#include "grader/lab.h"

/* Where a lesson starts debugging: the program runs to this place at once. */
typedef struct {
    const char *const *at; /* texts: stops at the first line with the first text that occurs */
    size_t at_count;       /* 0: stops at the first finding */
    const char *text[LIB_LANGS];
} debugger_opening;

/* What is debugged: a program, a .cu file with a main(), or a lab's function on one case. */
typedef struct {
    const char *shown;   /* as the user named it */
    const char *source;  /* the .cu file, or NULL */
    const char *program; /* an existing program, or NULL */
    /* for the program, from [1] on; NULL-terminated; may be NULL */
    char *const *arguments;
    bool optimised;                  /* compile it as for use, without nvcc -G */
    const char *device;              /* "sim:h200" */
    lib_lang lang;                   /* of messages on the program's stderr */
    const grade_lab *lab;            /* with `source`: debug this lab's function; otherwise NULL */
    const char *baseline;            /* .cu file of its baseline */
    size_t number;                   /* public case, from 1; 0: the timed case */
    sandbox_mode mode;               /* for the lab's programs */
    const debugger_opening *opening; /* or NULL: nothing runs until the user says so */
} debugger_target;

/* Runs a prompt: reads commands from `in` and answers on `out`. Returns the exit status. */
int debugger_shell(const debugger_target *t, lib_lang lang, FILE *in, FILE *out);
/* Fills `t` for a lab: source (the student's file, or `file`), lab, baseline, opening. If `number`
 * is 0, it becomes the lesson's case, or the first. The data stay valid until the next call.
 * Returns false and sets *msg on an error. */
typedef bool debugger_lab(debugger_target *t, const char *id, const char *file, lib_message *msg);
/* Serves the Debug Adapter Protocol on two streams until the client disconnects. The client's
 * launch request has the target; `lab` finds a lab. Returns the exit status. */
int debugger_dap(FILE *in, FILE *out, lib_lang lang, debugger_lab *lab);

#endif
