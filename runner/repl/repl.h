/* The REPL: `warplab` without a subcommand. Reads commands, shows lessons, runs and grades the
 * student's file, records progress.
 *
 *   repl.c    the loop and its own commands (repl_commands.def has the table)
 *   watch.c   checks after each save        check.c     run and check
 *   steps.c   labs, steps, questions        work.c      the student's file, editor, differences
 *   practice.c questions outside their lesson
 *   draw.c    measured runs, pictures       prompt.c    lines and keys; complete.c: completion
 *
 * Each file uses only those below it. */
#ifndef WARPLAB_REPL_H
#define WARPLAB_REPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *root;   /* the folder that contains labs/, kernels/, answers/ */
    const char *device; /* NULL: the student's last one, otherwise grading_device() */
    const char *lab;    /* open this lab; NULL: resume */
    /* "en", "zh"; NULL: the student's last one, otherwise by LC_ALL, LC_MESSAGES, LANG */
    const char *lang;
    const char *transcript; /* file that receives everything shown and typed, or NULL */
    bool no_colour;
    int preview; /* only show this step of `lab`, without questions and records; 0: no */
} repl_options;

/* Runs the REPL. Returns the exit status: 0; 1 if a command of a script (input that is no terminal)
 * failed. */
int repl_main(const repl_options *o);

/* For a book of lessons: draws the pictures of o->lab as text of 80 columns; the student's file is
 * the skeleton. out[i] is the picture of step i, malloc'ed, or NULL. measured: also pictures that
 * need a run. Returns false if the lab does not load. */
bool repl_pictures(const repl_options *o, bool measured, char **out, size_t steps);

#endif
