/* The REPL: `warplab` with no subcommand. Reads commands, shows lessons, runs and grades the
 * student's file, keeps progress.
 *
 *   repl.c    the loop and its own commands (repl_commands.def has the table)
 *   watch.c   checks after each save        check.c     run and check
 *   steps.c   labs, steps, questions        work.c      the student's file, editor, differences
 *   practice.c questions outside their lesson
 *   draw.c    measured runs, pictures       prompt.c    lines and keys; complete.c: completion
 *
 * Each stands on those below it and calls none above. */
#ifndef WARPLAB_REPL_H
#define WARPLAB_REPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *root;   /* the folder that holds labs/, kernels/, answers/ */
    const char *device; /* NULL: the student's last one, else "sim:h200" */
    const char *lab;    /* start with this lab, or NULL: resume */
    /* "en", "zh" or NULL: the student's last one, else by LC_ALL, LC_MESSAGES, LANG */
    const char *lang;
    const char *transcript; /* write everything shown and typed to this file, or NULL */
    bool no_colour;
    int preview; /* show this step of `lab` and leave; 0: no. Nothing is asked, written or kept */
} repl_options;

/* Returns the exit status: 0, or 1 when a command of a script (not a terminal) failed. */
int repl_main(const repl_options *o);

/* For a book of lessons: what is drawn at each step of o->lab, as text of 80 columns; the student's file
 * is the skeleton. out[i]: malloc'ed, NULL where nothing is drawn. measured: those too that a run is needed for. False: the
 * lab does not load. */
bool repl_pictures(const repl_options *o, bool measured, char **out, size_t steps);

#endif
