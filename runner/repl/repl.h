/* The REPL: `warplab` with no subcommand. Reads commands, shows lessons, runs and grades the
 * student's file, keeps progress.
 *
 *   repl.c         the loop and its own commands (repl_commands.def has the table)
 *   repl_lesson.c  steps, questions, predictions      complete.c  completion
 *   repl_work.c    the work folder, editor, diffs     watch.c     waits for a save
 *   repl_run.c     run, check, pictures               show.c      draws the pictures
 *   progress.c     SQLite                             text.c      wrapping and colour
 *   i18n.c         texts of messages.def */
#ifndef WARPLAB_REPL_H
#define WARPLAB_REPL_H

#include <stdbool.h>
#include "grader/grade.h"

typedef struct {
    const char *root;   /* the folder that holds labs/, kernels/, answers/ */
    const char *device; /* NULL: the student's last one, else "sim:h200" */
    const char *lab;    /* start with this lab, or NULL: resume */
    const char
        *lang; /* "en", "zh" or NULL: the student's last one, else by LC_ALL, LC_MESSAGES, LANG */
    const char *transcript; /* write everything shown and typed to this file, or NULL */
    bool no_colour;
} repl_options;

/* Returns the exit status: 0, or 1 when a command of a script (not a terminal) failed. */
int repl_main(const repl_options *o);

/* Proves a lesson (`warplab check`): the skeleton compiles, fails and has its TODO; the answer
 * passes every goal; every trap gives the verdict its first lines state; both languages are
 * complete; on each device. Prints to stdout; returns the number of failures. */
typedef struct {
    const char *root;
    const char *const *labs; /* ids; count 0: all */
    unsigned lab_count;
    const char *const *devices; /* count 0: sim:h200 and sim:t4 */
    unsigned device_count;
    unsigned jobs; /* labs side by side; 0: as many as cores */
    lib_lang lang;
    bool verbose;
} prove_options;
int lab_prove(const prove_options *o);

#endif
